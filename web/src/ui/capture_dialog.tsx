import { useEffect, useRef, useState } from 'preact/hooks';
import { type Capturable, type CaptureSource, type CaptureState, capturing } from '../capture';
import { words } from '../i18n';
import { go } from '../route';

/** Takes a profile of a running program; the new profile opens by itself. */
export function CaptureDialog({ source }: { source: CaptureSource }) {
  const w = words();
  const dialog = useRef<HTMLDialogElement>(null);
  const [targets, setTargets] = useState<Capturable[] | null>(null);
  const [target, setTarget] = useState('');
  const [duration, setDuration] = useState('2s');
  const [calls, setCalls] = useState(false);
  const [now, setNow] = useState<CaptureState | null>(null);
  const [refused, setRefused] = useState('');
  const began = useRef(false);

  useEffect(() => {
    dialog.current?.showModal();
    const ended = new AbortController();
    source
      .targets()
      .then((found) => {
        setTargets(found);
        setTarget((typed) => typed || found.find((one) => one.target)?.target || '');
      })
      .catch((error) => setRefused(String(error.message)));
    source
      .watch((state) => {
        setNow(state);
        if (state.state === 'running') began.current = true;
        if (state.state === 'done' && began.current && state.profile !== null) {
          capturing.value = false;
          go(state.profile, 'overview');
        }
      }, ended.signal)
      .catch(() => {});
    return () => ended.abort();
  }, [source]);

  const start = (event: Event) => {
    event.preventDefault();
    setRefused('');
    source
      .start({ target, for: duration, python: calls, stacks: calls })
      .then(() => {
        began.current = true;
      })
      .catch((error) => setRefused(String(error.message)));
  };
  const running = now?.state === 'running';
  return (
    <dialog
      ref={dialog}
      class="capture"
      onClose={() => (capturing.value = false)}
      aria-label={w.capture.title}
    >
      <form onSubmit={start}>
        <h2>{w.capture.title}</h2>
        <label class="field">
          {w.capture.target}
          <input
            name="target"
            list="capture-targets"
            value={target}
            required
            placeholder="localhost:9012, pid:4242"
            onInput={(event) => setTarget(event.currentTarget.value.trim())}
          />
        </label>
        <datalist id="capture-targets">
          {targets
            ?.filter((one) => one.target)
            .map((one) => (
              <option key={one.pid} value={one.target} />
            ))}
        </datalist>
        <label class="field">
          {w.capture.duration}
          <input
            name="for"
            size={6}
            value={duration}
            onInput={(event) => setDuration(event.currentTarget.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={calls}
            onChange={(event) => setCalls(event.currentTarget.checked)}
          />{' '}
          {w.capture.calls}
        </label>
        {targets?.length === 0 && <p class="muted">{w.capture.none}</p>}
        {targets && targets.length > 0 && (
          <div class="scrolls" tabIndex={0} role="group" aria-label={w.capture.target}>
            <ul>
              {targets.map((one) => (
                <li key={one.pid}>
                  <strong>{one.target || one.pid}</strong> {one.framework}{' '}
                  <code>{one.command.slice(0, 80)}</code>
                  {one.missing && (
                    <p class="muted">
                      {one.missing}. {w.nextStep}: {one.fix}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )}
        <p role="status" class="muted">
          {running && (now.sentence || w.loading)}
        </p>
        {(refused || (now?.state === 'failed' && began.current)) && (
          <p role="alert">
            {refused || now?.sentence} {!refused && now?.next && `${w.nextStep}: ${now.next}`}
          </p>
        )}
        <div class="choices">
          <button type="submit" disabled={running}>
            {w.capture.start}
          </button>
          <button type="button" onClick={() => void source.stop()} disabled={!running}>
            {w.capture.stop}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {w.capture.close}
          </button>
        </div>
      </form>
    </dialog>
  );
}
