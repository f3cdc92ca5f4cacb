import type { Deps } from '../../../deps.ts'
import type { Part } from '../../../http/multipart.ts'
import type { StoredAttachment } from '../../attachments/index.ts'

/** Files written side by side; each waits for the disk. */
const AT_ONCE = 4

/** Makes the bytes of attachments durable while others still arrive, before any row names them. */
export class AttachmentStore {
  private readonly underWay = new Set<Promise<void>>()
  private failed: { readonly error: unknown } | undefined

  /** @param letGo  told how many bytes are no longer held */
  constructor(
    private readonly deps: Pick<Deps, 'blobs'>,
    private readonly letGo: (bytes: number) => void,
  ) {}

  /** Settles as soon as there is room for the next; `done` is told once the bytes are durable. */
  async put(name: string, part: Part, done: (stored: StoredAttachment) => void): Promise<void> {
    while (this.underWay.size >= AT_ONCE) await Promise.race(this.underWay)
    this.throwIfFailed()
    const work = this.store(name, part, done).catch((error: unknown) => {
      this.failed ??= { error }
    })
    this.underWay.add(work)
    void work.then(() => this.underWay.delete(work))
  }

  /** All that was put is durable. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay)
    this.throwIfFailed()
  }

  private async store(name: string, { contentType, bytes }: Part, done: (stored: StoredAttachment) => void) {
    const hash = await this.deps.blobs.put(bytes)
    done({ name, mime_type: contentType || 'application/octet-stream', hash, size: bytes.length })
    this.letGo(bytes.length)
  }

  private throwIfFailed(): void {
    if (this.failed !== undefined) throw this.failed.error
  }
}
