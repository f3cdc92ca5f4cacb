import { setTimeout } from 'node:timers/promises'
import type { S3Objects } from './s3-objects.ts'

/** A removal that takes longer gives up before it deletes. */
const MAX_REMOVAL_MS = 20_000
/** A mark of a running removal that is older belongs to a process that crashed; processes may differ by some seconds. */
const ABANDONED_AFTER_MS = 60_000
/** How long a put waits before it asks again whether the removal has ended. */
const POLL_MS = 50

/**
 * Lets puts and removals of one blob from different processes run at the same time. S3 has no request that deletes an
 * object unless it was written meanwhile, so a removal leaves a mark:
 *
 * - A removal writes its mark, looks at the time of the blob, deletes it if nothing touched it, and marks its end.
 * - A put or a touch looks for the mark after it has written. Without a mark, a removal begins later and sees the new
 *   time. With the mark of a running removal it waits for the end, and looks whether the blob survived.
 *
 * Marks of ended removals stay for a minute at least, so that a put which wrote before the deletion finds one.
 */
export class RemovalMarks {
  constructor(
    private readonly objects: S3Objects,
    private readonly toName: (key: string) => string,
  ) {}

  /** Called after a put or touch. @returns whether a removal may have deleted what was written; settles when it has ended */
  async wasRemoving(key: string): Promise<boolean> {
    for (let found = await this.#find(key); found !== 'none'; found = await this.#find(key)) {
      if (found === 'ended') return true
      await setTimeout(POLL_MS)
    }
    return false
  }

  /**
   * Runs a removal under its mark.
   *
   * @param decide  looks at the blob; the removal deletes only when it returns true
   * @returns whether the blob was deleted; false also while another process removes it
   */
  async removing(key: string, decide: () => Promise<boolean>, remove: () => Promise<void>): Promise<boolean> {
    if ((await this.#find(key)) === 'running') return false
    await this.#write(key, 'running')
    const begun = performance.now()
    const isDecided = await decide()
    const isDeleting = isDecided && performance.now() - begun < MAX_REMOVAL_MS
    if (isDeleting) await remove()
    await this.#write(key, 'ended')
    return isDeleting
  }

  async #find(key: string): Promise<'none' | 'running' | 'ended'> {
    const mark = await this.objects.head(this.toName(key))
    if (mark === undefined) return 'none'
    const age = Date.now() - Number(mark.metadata.at ?? 0)
    return mark.metadata.state === 'running' && age < ABANDONED_AFTER_MS ? 'running' : 'ended'
  }

  #write(key: string, state: 'running' | 'ended'): Promise<void> {
    return this.objects.put(this.toName(key), new Uint8Array(), { state, at: String(Date.now()) })
  }
}
