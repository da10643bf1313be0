/** One number of a page, with its name. */
export function Tile({
  label,
  value,
  raw,
  help,
}: {
  label: string;
  value: string;
  raw?: number;
  help?: string;
}) {
  return (
    <div class="tile" title={help}>
      <dt>{label}</dt>
      <dd data-raw={raw}>{value}</dd>
    </div>
  );
}
