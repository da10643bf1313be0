import { duration } from '../format';
import { words } from '../i18n';
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

/** How long the selection and each mark are. */
export function Measure({ view }: { view: TimelineView }) {
  const { range, selected, marks } = view.overlay.value;
  const measured = range ?? selected;
  return (
    <span class="measure" data-testid="measure">
      {measured ? duration(measured.to - measured.from) : ''}
      {marks.map((m) => (
        <span key={`${m.from}`} class="mark">
          {' '}
          ⚑ {duration(m.to - m.from)}
        </span>
      ))}
    </span>
  );
}
