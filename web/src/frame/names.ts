import type { ProfileState } from '../api';
import { groupBy } from '../group_by';

/**
 * Names that tell profiles apart: the file's name, and as many of the folders above it as it takes. Two profiles of the same
 * path get their number.
 */
export function namesApart(profiles: Pick<ProfileState, 'id' | 'name' | 'paths'>[]): Map<number, string> {
  const names = new Map<number, string>();
  const groups = groupBy(profiles, (profile) => profile.name);
  for (const [name, group] of groups) {
    if (group.length === 1) {
      names.set(group[0].id, name);
      continue;
    }
    const folders = group.map((profile) => profile.paths[0].split('/').slice(0, -1));
    const deepest = Math.max(...folders.map((parts) => parts.length));
    const ending = (parts: string[], depth: number) => parts.slice(-depth).join('/');
    let depth = 1;
    const apart = new Set(folders.map((parts) => parts.join('/'))).size;
    while (depth < deepest && new Set(folders.map((parts) => ending(parts, depth))).size < apart) ++depth;
    const used = new Map<string, number>();
    group.forEach((profile, index) => {
      const above = ending(folders[index], depth);
      const full = above ? `${above}/${name}` : name;
      const times = (used.get(full) ?? 0) + 1;
      used.set(full, times);
      names.set(profile.id, times > 1 ? `${full} (${times})` : full);
    });
  }
  return names;
}
