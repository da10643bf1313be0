import { useEffect, useState } from 'preact/hooks';

export type Asked<T> =
  | { state: 'waiting' }
  | { state: 'done'; value: T }
  | { state: 'failed'; error: unknown };

/** The answer to a question that takes a while; asked again when the key changes, old answers dropped. */
export function useAsk<T>(key: string, ask: (() => Promise<T>) | null): Asked<T> {
  const [answer, setAnswer] = useState<{ key: string; asked: Asked<T> }>({
    key: '',
    asked: { state: 'waiting' },
  });
  useEffect(() => {
    if (!ask) return;
    let wanted = true;
    ask().then(
      (value) => wanted && setAnswer({ key, asked: { state: 'done', value } }),
      (error) => wanted && setAnswer({ key, asked: { state: 'failed', error } }),
    );
    return () => {
      wanted = false;
    };
  }, [key, ask === null]);
  return answer.key === key ? answer.asked : { state: 'waiting' };
}
