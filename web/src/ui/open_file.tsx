import { useEffect, useRef, useState } from 'preact/hooks';
import { bytes } from '../format';
import { fill, words } from '../i18n';
import { go } from '../route';
import { useAsk } from './ask';

export interface UploadSource {
  /** Sends a file; calls back with the share that is there. The number of its profile. */
  send(file: File, onShare: (share: number) => void): Promise<number>;
  /** How large one file may be; fails where no file may be sent. */
  mostBytes(): Promise<number>;
}

/** "Open file", and the whole window as a place to drop one on; nothing where the server takes none. */
export function OpenFile({ upload }: { upload: UploadSource }) {
  const limit = useAsk('upload', () => upload.mostBytes());
  return limit.state === 'done' ? <Opener upload={upload} most={limit.value} /> : null;
}

function Opener({ upload, most }: { upload: UploadSource; most: number }) {
  const w = words();
  const field = useRef<HTMLInputElement>(null);
  const [share, setShare] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const [over, setOver] = useState(false);
  const send = async (file: File | undefined) => {
    if (!file) return;
    setFailure('');
    if (file.size > most) {
      setFailure(fill(w.fileTooLarge, bytes(most, 0)));
      return;
    }
    setShare(0);
    try {
      go(await upload.send(file, setShare), 'overview');
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setShare(null);
    }
  };
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const drag = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFile(event)) return;
      event.preventDefault();
      void send(event.dataTransfer!.files[0]);
    };
    document.addEventListener('dragover', drag);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', drag);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  });
  return (
    <span class="open-file">
      <button type="button" title={w.orDrop} onClick={() => field.current!.click()} disabled={share !== null}>
        {w.openFile}
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={w.openFile}
        data-testid="open-file"
        onChange={(event) => {
          void send(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      {share !== null && <progress max={1} value={share} aria-label={w.sending} />}
      {failure && (
        <span class="failed" role="alert">
          {failure}
        </span>
      )}
      {over && <div class="drop-here">{w.dropHere}</div>}
    </span>
  );
}
