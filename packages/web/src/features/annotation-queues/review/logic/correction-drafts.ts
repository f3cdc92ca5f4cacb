import { readKeptDraft, writeKeptDraft } from '#lib/kept-drafts.ts'
import { createStore } from '#lib/store.ts'
import { parseCorrection } from './review-records.ts'

/** A correction that is being typed. */
export interface CorrectionDraft {
  /** The text that the reviewer began with, or that was saved last. */
  readonly start: string
  readonly text: string
  /** Whether a field of its form has a text that is no value, and that `text` therefore lacks. */
  readonly hasInvalidField: boolean
  readonly isSaving: boolean
  /** Why the last save failed. */
  readonly error: unknown
  /** How often the reviewer was kept at this text because it is invalid. */
  readonly refusals: number
  /** Whether it was typed before the page was loaded again. */
  readonly isRestored: boolean
}

/** Whether leaving the page would lose something. */
export function isUnsaved({ text, start, hasInvalidField, isSaving }: CorrectionDraft): boolean {
  return isSaving || hasInvalidField || text !== start
}

/**
 * The corrections that a reviewer types, by the id of their item. A draft stays until its text is stored or cancelled,
 * also while other items are open, and survives a reload of the page. Saves of an item run one after the other, because two at once would create two records.
 */
export class CorrectionDrafts<Place extends { readonly item: { readonly id: string } }> {
  readonly store = createStore<ReadonlyMap<string, CorrectionDraft>>(() => new Map())
  readonly #running = new Map<string, Promise<boolean>>()
  readonly #write: (place: Place, text: string) => Promise<void>

  constructor(write: (place: Place, text: string) => Promise<void>) {
    this.#write = write
  }

  /** Starts a draft, or keeps the one that the item has. */
  open(itemId: string, start: string): void {
    this.restore(itemId, { ...UNTOUCHED, start, text: start })
  }

  /** Starts a draft with the text that was typed before the page was loaded again, if there is one. */
  resume(itemId: string, start: string): void {
    const text = readKeptDraft(toName(itemId))
    if (typeof text === 'string' && text !== start)
      this.restore(itemId, { ...UNTOUCHED, start, text, isRestored: true })
  }

  type(itemId: string, text: string): void {
    this.#change(itemId, { text, refusals: 0 })
  }

  setInvalidField(itemId: string, hasInvalidField: boolean): void {
    this.#change(itemId, { hasInvalidField, refusals: 0 })
  }

  /** Brings back a cancelled draft without the text of invalid fields, unless there is a newer one. */
  restore(itemId: string, draft: CorrectionDraft): void {
    if (this.#find(itemId) !== undefined) return
    this.#set(itemId, { ...draft, hasInvalidField: false })
  }

  cancel(itemId: string): void {
    const drafts = new Map(this.store.read())
    drafts.delete(itemId)
    this.store.write(drafts)
    writeKeptDraft(toName(itemId), undefined)
  }

  /** @returns whether the draft can be stored, or is none; otherwise the reviewer is asked to correct it */
  accept(itemId: string): boolean {
    const draft = this.#find(itemId)
    if (draft === undefined || !isUnsaved(draft) || isValid(draft)) return true
    this.#change(itemId, { refusals: draft.refusals + 1 })
    return false
  }

  /** Stores a changed draft and closes an unchanged one. @returns whether everything is stored */
  async flush(place: Place): Promise<boolean> {
    const { id } = place.item
    const draft = this.#find(id)
    if (draft !== undefined && isUnsaved(draft)) return this.save(place)
    if (draft !== undefined) this.cancel(id)
    return this.#running.get(id) ?? true
  }

  /** @returns whether the draft is stored */
  save(place: Place): Promise<boolean> {
    const { id } = place.item
    const before = this.#running.get(id) ?? Promise.resolve(true)
    const running = before
      .then(() => this.#writeLatest(place))
      .finally(() => {
        if (this.#running.get(id) === running) this.#running.delete(id)
      })
    this.#running.set(id, running)
    return running
  }

  async #writeLatest(place: Place): Promise<boolean> {
    const { id } = place.item
    const draft = this.#find(id)
    if (draft === undefined) return true // the save before this one stored it
    if (!isValid(draft)) return false
    this.#change(id, { isSaving: true, error: undefined })
    try {
      await this.#write(place, draft.text)
    } catch (error) {
      this.#change(id, { isSaving: false, error })
      return false
    }
    // What was typed while the save ran stays.
    if (this.#find(id)?.text === draft.text) this.cancel(id)
    else this.#change(id, { isSaving: false, start: draft.text })
    return true
  }

  #find(itemId: string): CorrectionDraft | undefined {
    return this.store.read().get(itemId)
  }

  #change(itemId: string, change: Partial<CorrectionDraft>): void {
    const draft = this.#find(itemId)
    if (draft !== undefined) this.#set(itemId, { ...draft, ...change })
  }

  #set(itemId: string, draft: CorrectionDraft): void {
    this.store.write(new Map(this.store.read()).set(itemId, draft))
    writeKeptDraft(toName(itemId), draft.text === draft.start ? undefined : draft.text)
  }
}

const UNTOUCHED = { hasInvalidField: false, isSaving: false, error: undefined, refusals: 0, isRestored: false }
const toName = (itemId: string) => `correction ${itemId}`

function isValid({ text, hasInvalidField }: CorrectionDraft): boolean {
  return !hasInvalidField && !('problem' in parseCorrection(text))
}
