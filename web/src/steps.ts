import type { Step } from './api';

/** Names that tell steps apart: with their number where the file calls all of them the same. */
export function stepNames(steps: Pick<Step, 'name' | 'number'>[]): string[] {
  const different = new Set(steps.map((step) => step.name)).size === steps.length;
  return steps.map((step) => (different ? step.name : `${step.name} #${step.number}`));
}
