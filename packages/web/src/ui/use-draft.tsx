import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { isSameJson, pickFields } from '#lib/changes.ts'
import { draftOwner } from '#lib/draft-owner.ts'
import { readKeptDraft, writeKeptDraft } from '#lib/kept-drafts.ts'
import { useStore } from '#lib/store.ts'

type Field<Value> = keyof Value & string

export interface Draft<Value> {
  /** The saved value with the edits applied. */
  value: Value
  /** Fields whose edit differs from the saved value. */
  changed: readonly Field<Value>[]
  /** The saved value as it was when the edited fields were first edited. */
  base: Value
  /** Changed fields whose saved value was changed elsewhere since they were first edited. */
  overtaken: readonly Field<Value>[]
  set: (edits: Partial<Value>) => void
  discard: () => void
  /** Ends the edits that a save has stored; what was typed since then stays. */
  settle: (stored: Value) => void
  /** Discards the edits of some fields. */
  follow: (fields: readonly Field<Value>[]) => void
  /** Keeps the edits although the saved value was changed elsewhere. */
  keep: () => void
  /** Whether the edits were made before the page was loaded again; undefined for a draft that a reload loses. */
  isRestored: boolean | undefined
}

interface Edits<Value> {
  edits: Partial<Value>
  bases: Partial<Value>
  isRestored?: true
}

/**
 * Edits of a form, kept apart from the saved value: unedited fields follow changes of the saved value. A field that is
 * set back to the saved value is no longer edited.
 *
 * @param keptAs  name of the editor and its object: the edits survive a reload under this name. Not for secrets
 */
export function useDraft<Value extends object>(saved: Value, keptAs?: string): Draft<Value> {
  const restore = (kept: unknown) => toEdits(kept, saved)
  const [{ edits, bases, isRestored }, setState, drop, isKept] = useKeptState<Edits<Value>>(
    keptAs,
    NO_EDITS,
    restore,
    (state) => {
      const fields = fieldsOf(state.edits).filter((field) => !isSameJson(state.edits[field], saved[field]))
      if (fields.length === 0) return undefined
      // JSON leaves out what is undefined, so fields that were cleared are named.
      const cleared = fields.filter((field) => state.edits[field] === undefined)
      return { edits: pickFields(state.edits, fields), bases: state.bases, ...(cleared.length > 0 && { cleared }) }
    },
  )
  const changed = fieldsOf(edits).filter((field) => !isSameJson(edits[field], saved[field]))
  return {
    value: { ...saved, ...edits },
    changed,
    base: { ...saved, ...bases },
    overtaken: changed.filter((field) => !isSameJson(bases[field], saved[field])),
    set: (more) =>
      setState((before) => {
        const next = { ...before, edits: { ...before.edits }, bases: { ...before.bases } }
        for (const field of Object.keys(more) as Field<Value>[]) {
          if (isSameJson(more[field], saved[field])) {
            delete next.edits[field]
            delete next.bases[field]
          } else {
            next.edits[field] = more[field]
            if (!(field in before.bases)) next.bases[field] = saved[field]
          }
        }
        return next
      }),
    discard: () => {
      drop()
      setState(NO_EDITS)
    },
    settle: (stored) =>
      setState((before) => {
        const done = fieldsOf(before.edits).filter((field) => isSameJson(before.edits[field], stored[field]))
        const edits = omitFields(before.edits, done)
        return { edits, bases: pickFields(stored, fieldsOf(edits)) }
      }),
    follow: (some) =>
      setState((before) => ({
        ...before,
        edits: omitFields(before.edits, some),
        bases: omitFields(before.bases, some),
      })),
    keep: () => setState((before) => ({ ...before, bases: pickFields(saved, Object.keys(before.edits)) })),
    isRestored: isKept ? isRestored === true && changed.length > 0 : undefined,
  }
}

/** The kept edits of fields that the form has; an older version of the page may have had other ones. */
function toEdits<Value extends object>(kept: unknown, saved: Value): Edits<Value> | undefined {
  const { edits, bases, cleared = [] } = (kept ?? {}) as { edits?: object; bases?: object; cleared?: unknown }
  if (typeof edits !== 'object' || typeof bases !== 'object' || !Array.isArray(cleared)) return undefined
  const isField = (field: string, value: unknown) => {
    const others = [saved[field as keyof Value], bases[field as keyof typeof bases]]
    return field in saved && others.every((one) => one == null || value == null || getKind(one) === getKind(value))
  }
  const all: Readonly<Record<string, unknown>> = {
    ...edits,
    ...Object.fromEntries(cleared.map((field) => [String(field), undefined])),
  }
  const fields = Object.entries(all).flatMap(([field, value]) => (isField(field, value) ? [field] : []))
  if (fields.length === 0) return undefined
  return { edits: pickFields(all as Value, fields), bases: pickFields(bases as Value, fields), isRestored: true }
}

/** Whether a kept value has the fields of a value that the page understands, each of the same type. */
export function hasShapeOf(known: object, kept: unknown): boolean {
  if (typeof kept !== 'object' || kept === null) return false
  const fields = Object.keys(known) as (keyof typeof known)[]
  return fields.every((field) => getKind(known[field]) === getKind((kept as typeof known)[field]))
}

const getKind = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)

/**
 * State of an editor that survives a reload of the page.
 *
 * @param keptAs  name of the editor and its object; undefined: it is not kept
 * @param restore  reads what was kept; undefined if it does not fit
 * @param toKept  what to keep of a state; undefined if nothing is edited
 * @returns the state, its setter, a function that drops what is kept at once, and whether the state is kept
 */
export function useKeptState<State>(
  keptAs: string | undefined,
  start: State,
  restore: (kept: unknown) => State | undefined,
  toKept: (state: State) => unknown,
): [State, Dispatch<SetStateAction<State>>, () => void, boolean] {
  const owner = useStore(draftOwner)
  const name = owner === undefined ? undefined : keptAs
  const read = () => (name === undefined ? undefined : restore(readKeptDraft(name)))
  const [state, setState] = useState(() => read() ?? start)
  const [readName, setReadName] = useState(name)
  if (name !== readName) {
    setReadName(name)
    // What was typed before the user was known stays.
    if (readName !== undefined || toKept(state) === undefined) setState(read() ?? start)
  }
  const kept = toKept(state)
  const text = kept === undefined ? undefined : JSON.stringify(kept)
  const [isWritten, setWritten] = useState(true)
  useEffect(() => {
    if (name !== undefined) setWritten(writeKeptDraft(name, text === undefined ? undefined : JSON.parse(text)))
  }, [name, text])
  const drop = () => {
    if (name !== undefined) writeKeptDraft(name, undefined)
  }
  return [state, setState, drop, name !== undefined && isWritten]
}

const NO_EDITS = { edits: {}, bases: {} }
const fieldsOf = <Value extends object>(edits: Partial<Value>) => Object.keys(edits) as Field<Value>[]

function omitFields<Value extends object>(from: Partial<Value>, fields: readonly string[]): Partial<Value> {
  return pickFields(
    from,
    Object.keys(from).filter((field) => !fields.includes(field)),
  )
}
