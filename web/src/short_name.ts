// Short names of C++ kernels, as the terminal has them (src/present/kernel_name.cc): without what tells kernels apart the
// least, which is the return type, parameters, namespaces, and template arguments deeper than the first level.

const ANONYMOUS = '(anonymous namespace)';
const isNameChar = (c: string | undefined) => c !== undefined && /[A-Za-z0-9_]/.test(c);

function withoutParameters(name: string): string {
  let depth = 0;
  for (let i = 0; i < name.length; ++i) {
    if (name[i] === '<') ++depth;
    if (name[i] === '>') --depth;
    if (name[i] !== '(' || depth > 0 || i === 0) continue;
    if (name.startsWith(ANONYMOUS, i)) continue;
    return name.endsWith(')') ? name.slice(0, i) : name;
  }
  return name;
}

const QUALIFIER = /(?:[A-Za-z0-9_]+::|\(anonymous namespace\)::)+/y;

/** How many characters of qualifiers ("at::native::") start here, when a name starts here. */
function qualifiersAt(name: string, at: number): number {
  const before = name[at - 1];
  if (at > 0 && (isNameChar(before) || before === ':' || before === ')')) return 0;
  QUALIFIER.lastIndex = at;
  return QUALIFIER.exec(name)?.[0].length ?? 0;
}

function shorten(full: string): string {
  const isFunction = full.startsWith('void ');
  let name = isFunction ? full.slice(5) : full;
  // "Memcpy HtoD (Pinned -> Device)" has brackets too, but is no declaration.
  if (!isFunction && !name.includes('::')) return name;
  // Ops are named like that, too ("aten::mm", "autograd::engine::evaluate_function: …"): they are short already.
  if (!isFunction && !/[<(]/.test(name)) return name;
  name = withoutParameters(name);
  let out = '';
  let depth = 0;
  for (let i = 0; i < name.length; ) {
    if (depth < 2) {
      const qualifiers = qualifiersAt(name, i);
      if (qualifiers > 0) {
        i += qualifiers;
        continue;
      }
    }
    const c = name[i++];
    if (c === '<' && ++depth === 2) out += '<…>';
    if (depth < 2 && !(c === ' ' && name[i] === '>')) out += c;
    if (c === '>' && depth > 0) --depth;
  }
  return out;
}

const known = new Map<string, string>();

/** The short name of a kernel; names that are no C++ declarations come back as they are. Kept: names repeat. */
export function shortName(full: string): string {
  let short = known.get(full);
  if (short === undefined) {
    if (known.size > 20_000) known.clear();
    short = shorten(full) || full;
    known.set(full, short);
  }
  return short;
}

/** Short names of a table's rows that keep what tells them apart: where two would be the same, both stay whole. */
export function shortNames(names: string[]): Map<string, string> {
  const users = new Map<string, Set<string>>();
  for (const name of names) {
    const short = shortName(name);
    const set = users.get(short) ?? new Set();
    users.set(short, set.add(name));
  }
  return new Map(
    names.map((name) => {
      const short = shortName(name);
      return [name, users.get(short)!.size > 1 ? name.replace(/^void /, '') : short];
    }),
  );
}
