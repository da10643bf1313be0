import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Evidence, Finding, Report } from '../api';
import { count, duration } from '../format';
import { fill, words } from '../i18n';
import { href, onClockOf } from '../route';

/** The trace that evidence is in: its own, or that of the rank it names. */
export function traceOf(evidence: Evidence, trace: number, ranks: (number | null)[]): number {
  const at = evidence.rank == null ? -1 : ranks.indexOf(evidence.rank);
  return at < 0 ? trace : at;
}

/** The timeline on a piece of evidence: its stretch with some room, its first event picked, else the stretch itself. */
export function evidenceLink(evidence: Evidence, profile: number, trace: number): string {
  const { start_ns: start, ns, events } = evidence;
  const room = Math.max(ns * 0.1, 500);
  const picked: Record<string, string> =
    events.length > 0
      ? { event: String(events[0]) }
      : ns > 0
        ? { a: String(start), b: String(start + ns) }
        : {};
  return href(profile, 'timeline', {
    ...onClockOf(trace),
    from: String(Math.round(start - room)),
    to: String(Math.round(start + ns + room)),
    ...picked,
  });
}

interface Props {
  report: Report;
  profile: number;
  trace: number;
  ranks: (number | null)[];
}

/** What the rules found, worst first; each piece of evidence opens the timeline on it. */
export function Findings({ report, profile, trace, ranks }: Props) {
  const w = words();
  const findings = report.findings ?? [];
  return (
    <>
      {findings.length === 0 && <p class="muted">{w.noFindings}</p>}
      <ul class="findings">
        {findings.map((finding) => (
          <li key={finding.rule} class={finding.severity} data-rule={finding.rule}>
            <h3>
              <span class="severity">{w.severity[finding.severity] ?? finding.severity}</span> {finding.title}
            </h3>
            <p>{finding.sentence}</p>
            {finding.causes.map((cause) => (
              <p key={cause.rule} class="cause">
                {w.because}: {cause.sentence}
              </p>
            ))}
            <Saving finding={finding} />
            {finding.fix && (
              <p class="fix">
                <b>{w.fix}:</b> {finding.fix} <CopyFix text={finding.fix} />
              </p>
            )}
            {finding.refuted_by && (
              <p class="muted refuted">
                <b>{w.refutedBy}:</b> {finding.refuted_by}
              </p>
            )}
            {finding.evidence.length > 0 && (
              <p class="evidence">
                <b>{w.evidence}:</b>
                {finding.evidence.map((item) => (
                  <a
                    key={`${item.rank}${item.device}${item.start_ns}`}
                    href={evidenceLink(item, profile, traceOf(item, trace, ranks))}
                  >
                    {placeOf(item, w)}
                  </a>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
      <WhyNot report={report} />
    </>
  );
}

function CopyFix({ text }: { text: string }) {
  const w = words();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="copy-fix" onClick={() => void copy()}>
      {copied ? w.copied : w.copyFix}
    </button>
  );
}

function placeOf({ rank, device, step, ns }: Evidence, w: ReturnType<typeof words>): string {
  return [
    rank == null ? '' : `${w.rank} ${rank}`,
    device ?? '',
    step === null ? '' : `${w.step} ${step}`,
    ns > 0 ? duration(ns) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function Saving({ finding: { saving } }: { finding: Finding }) {
  const w = words();
  if (!saving || saving.hi_ns <= 0) return null;
  const [low, high] = [duration(saving.lo_ns), duration(saving.hi_ns)];
  const from = saving.lo_ns <= 0 ? `${w.upTo} ` : low === high ? '' : `${low} … `;
  return (
    <p class="saving">
      <b>
        {w.saving}: {from}
        {high} {w.perStep}
      </b>
      {saving.note && <span class="muted"> {saving.note}</span>}
    </p>
  );
}

/** Why not something else: rules that looked and found nothing, and rules that the profile holds too little for. */
function WhyNot({ report: { rules } }: { report: Report }) {
  const w = words();
  if (!rules || rules.checked === 0) return null;
  return (
    <details class="unchecked">
      <summary>
        {w.whyNot}: {fill(w.rulesChecked, count(rules.checked - rules.cannot_tell.length))}
        {rules.cannot_tell.length > 0 && ` · ${fill(w.rulesUnchecked, count(rules.cannot_tell.length))}`}
      </summary>
      {rules.quiet.length > 0 && (
        <>
          <h4>{fill(w.rulesQuiet, count(rules.quiet.length))}</h4>
          <ul class="quiet">
            {rules.quiet.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </>
      )}
      {rules.cannot_tell.length > 0 && <h4>{fill(w.rulesUnchecked, count(rules.cannot_tell.length))}</h4>}
      <dl class="facts">
        {rules.cannot_tell.map(({ rule, needs }) => (
          <Fragment key={rule}>
            <dt>{rule}</dt>
            <dd>{needs}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}
