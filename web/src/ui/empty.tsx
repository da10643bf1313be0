/** A page whose data the profile lacks says so, and what to record. */
export function Empty({ what, record }: { what: string; record: string }) {
  return (
    <section class="empty">
      <p>{what}</p>
      <p class="muted">{record}</p>
    </section>
  );
}

export function Working({ text }: { text: string }) {
  return (
    <p class="working" role="status">
      <span class="spinner" aria-hidden="true" /> {text}…
    </p>
  );
}

export function Failed({ error }: { error: unknown }) {
  return (
    <p class="failed" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
