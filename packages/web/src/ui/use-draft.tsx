import { useState } from 'react'

export interface Draft<Value> {
  /** The saved value with the edits applied. */
  value: Value
  /** Fields whose edit differs from the saved value. */
  changed: readonly (keyof Value & string)[]
  set: (edits: Partial<Value>) => void
  discard: () => void
}

/** Edits of a form, kept apart from the saved value: unedited fields follow changes of the saved value. */
export function useDraft<Value extends object>(saved: Value): Draft<Value> {
  const [edits, setEdits] = useState<Partial<Value>>({})
  const fields = Object.keys(edits) as (keyof Value & string)[]
  return {
    value: { ...saved, ...edits },
    changed: fields.filter((field) => JSON.stringify(edits[field]) !== JSON.stringify(saved[field])),
    set: (more) => setEdits((before) => ({ ...before, ...more })),
    discard: () => setEdits({}),
  }
}
