import { useState } from 'react'

export interface Draft<Value> {
  /** What is saved, with the edits on top. */
  value: Value
  /** Fields whose edit differs from what is saved. */
  changed: readonly (keyof Value & string)[]
  set: (edits: Partial<Value>) => void
  discard: () => void
}

/** Edits of a form, kept apart from what is saved: news of the saved value shows in fields that nobody has touched. */
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
