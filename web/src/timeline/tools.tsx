import { useSignal } from '@preact/signals';
import { duration } from '../format';
import { words } from '../i18n';
import type { NamedStep } from './canvas';
import type { Mark } from './choices';
import { jumpTo } from './jump';
import type { useSearch } from './search';
import type { TimelineView } from './view';

export function SearchBox({ search, live }: { search: ReturnType<typeof useSearch>; live: boolean }) {
  const w = words();
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void search.run(1);
      }}
    >
      <input
        type="search"
        placeholder={w.searchHelp}
        aria-label={w.search}
        disabled={!live}
        value={search.text.value}
        onInput={(event) => {
          search.text.value = event.currentTarget.value;
          if (search.text.value === '') void search.run(1);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            void search.run(-1);
          }
        }}
      />
      <label>
        <input
          type="checkbox"
          checked={search.regex.value}
          onChange={(event) => {
            search.regex.value = event.currentTarget.checked;
          }}
        />
        .*
        <span class="visually-hidden">{w.regex}</span>
      </label>
      <span class="muted" role="status" data-testid="hits">
        {search.label(w)}
      </span>
      <button type="button" title={w.previous} aria-label={w.previous} onClick={() => search.step(-1)}>
        ‹
      </button>
      <button type="button" title={w.next} aria-label={w.next} onClick={() => search.step(1)}>
        ›
      </button>
    </form>
  );
}

export function Help({ onClose }: { onClose: () => void }) {
  const w = words();
  return (
    <dialog open class="help" aria-label={w.help}>
      <dl>
        {w.keys.map(([keys, what]) => (
          <>
            <dt key={keys}>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        {w.close}
      </button>
    </dialog>
  );
}

/** How long the selection and each mark are; the marks with their notes unfold. */
export function Measure({ view, onMarks }: { view: TimelineView; onMarks: (marks: Mark[]) => void }) {
  const w = words();
  const { range, selected, marks } = view.overlay.value;
  const measured = range ?? selected;
  return (
    <span class="measure" data-testid="measure">
      {measured ? duration(measured.to - measured.from) : ''}
      {marks.length > 0 && (
        <details class="marks">
          <summary>
            {marks.map((mark) => (
              <span key={mark.from} class="mark">
                {' '}
                ⚑ {duration(mark.to - mark.from)}
              </span>
            ))}
            <span class="visually-hidden"> {w.marks}</span>
          </summary>
          <ul>
            {marks.map((mark, index) => (
              <li key={`${mark.from}-${mark.to}`}>
                <button
                  type="button"
                  class="link"
                  title={w.zoomTo}
                  onClick={() => {
                    const room = (mark.to - mark.from) * 0.1;
                    view.show({ from: mark.from - room, to: mark.to + room });
                  }}
                >
                  ⚑ {duration(mark.from)} · {duration(mark.to - mark.from)}
                </button>
                <input
                  type="text"
                  placeholder={w.noteHelp}
                  aria-label={w.noteHelp}
                  value={mark.note}
                  maxLength={200}
                  onInput={(event) =>
                    onMarks(marks.with(index, { ...mark, note: event.currentTarget.value }))
                  }
                />
                <button
                  type="button"
                  title={w.removeMark}
                  aria-label={w.removeMark}
                  onClick={() => onMarks(marks.filter((other) => other !== mark))}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}

/** "Go to": a time, a stretch or a step. */
export function JumpBox({ view, steps }: { view: TimelineView; steps: NamedStep[] }) {
  const w = words();
  const wrong = useSignal(false);
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.querySelector('input')!;
        const window = jumpTo(field.value, view.window.value, steps);
        wrong.value = window === null;
        if (!window) return;
        view.show(window);
        field.blur();
      }}
    >
      <input
        type="text"
        class={wrong.value ? 'wrong' : ''}
        placeholder={w.jumpHelp}
        aria-label={w.jump}
        aria-invalid={wrong.value}
        onInput={() => {
          wrong.value = false;
        }}
      />
      {wrong.value && (
        <span class="failed" role="alert">
          {w.jumpWrong}
        </span>
      )}
    </form>
  );
}
