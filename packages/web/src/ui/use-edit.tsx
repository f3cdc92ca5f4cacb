import { type ReactNode, useState } from 'react'
import { isSameJson, pickFields } from '#lib/changes.ts'
import { isOvertaken } from '#lib/errors.ts'
import { EditConflict } from './edit-conflict.tsx'
import { type Draft, useDraft } from './use-draft.tsx'

interface EditOptions<Stored, Value extends object> {
  /** What is edited, in a sentence: "this price". */
  what: string
  /** Names of the fields in a conflict. */
  labels: Readonly<Record<keyof Value & string, string>>
  /** Texts of fields in a conflict that are neither texts, numbers nor lists of texts. */
  print?: { readonly [Field in keyof Value]?: (value: Value[Field]) => string }
  /** The object as it was read; undefined for a new one. */
  stored: Stored | undefined
  toDraft: (stored: Stored) => Value
  /** Values of a new object. */
  start: Value
  /** Name of the editor and its object: the edits survive a reload under this name. Not for secrets. */
  keptAs?: string | undefined
  /** Reads the object again, after a save was refused because others have changed it. */
  read: () => Promise<Stored>
  /** Whether edits may be saved again on top of what others saved; otherwise the refusal is shown. @default true */
  mayRepeat?: (before: Stored, after: Stored) => boolean
  /** Saves; `base` is the object that the edits are based on, undefined for a new one. */
  save: (value: Value, base: Stored | undefined) => Promise<void>
}

interface Edit<Stored, Value> extends Pick<Draft<Value>, 'value' | 'set' | 'discard' | 'isRestored'> {
  /** The object as it was last read; undefined for a new one. */
  base: Stored | undefined
  submit: () => Promise<void>
  isPending: boolean
  /** Why the last save failed, null if it did not. A conflict is no failure. */
  error: unknown
  /** Whether a field was changed elsewhere; then the user chooses in `conflict` rather than saves. */
  isOvertaken: boolean
  /** Both texts of each field that was changed here and elsewhere; place it above the fields. */
  conflict: ReactNode
}

/**
 * The edit of one object in a dialog or a form of its own. It does not follow the saved object while it is open. When a
 * save is refused because others have changed the object, it is read again: fields that are not edited follow it and the
 * save is repeated; for a field that was changed on both sides the user chooses.
 */
export function useEdit<Stored, Value extends object>(options: EditOptions<Stored, Value>): Edit<Stored, Value> {
  const { what, labels, print, stored, toDraft, start, keptAs, read, save, mayRepeat = () => true } = options
  const [base, setBase] = useState(stored)
  const [first] = useState(start)
  const draft = useDraft(base === undefined ? first : toDraft(base), keptAs)
  const [{ isPending, error }, setState] = useState<{ isPending: boolean; error: unknown }>(IDLE)
  const saved = base === undefined ? first : toDraft(base)
  // The values that a new object begins with may change, but nothing was saved.
  const overtaken = isPending || base === undefined ? [] : draft.overtaken

  async function submit() {
    setState({ isPending: true, error: null })
    try {
      if (await saveOnTop()) draft.discard()
      setState(IDLE)
    } catch (cause) {
      setState({ isPending: false, error: cause })
    }
  }

  /** @returns whether it is saved; otherwise the user has to choose */
  async function saveOnTop(): Promise<boolean> {
    let [value, expected] = [draft.value, base]
    for (;;) {
      try {
        await save(value, expected)
        return true
      } catch (cause) {
        if (expected === undefined || !isOvertaken(cause)) throw cause
        const now = await read()
        setBase(now)
        const [before, after] = [toDraft(expected), toDraft(now)]
        const moved = Object.keys(after).filter(
          (field) => !isSameJson(pickFields(before, [field]), pickFields(after, [field])),
        )
        // Nothing to show: the message has to do. Another save is based on what was read now.
        if (moved.length === 0 || !mayRepeat(expected, now)) throw cause
        const mine = pickFields(value, draft.changed)
        const isMet = moved.some(
          (field) => field in mine && !isSameJson(pickFields(mine, [field]), pickFields(after, [field])),
        )
        if (isMet) return false
        value = { ...after, ...mine }
        expected = now
      }
    }
  }

  const printField = (field: keyof Value & string, from: Value) => (print?.[field] ?? printValue)(from[field])
  return {
    value: draft.value,
    set: (edits) => {
      draft.set(edits)
      setState(({ isPending }) => ({ isPending, error: null }))
    },
    discard: draft.discard,
    isRestored: draft.isRestored,
    base,
    submit,
    isPending,
    error,
    isOvertaken: overtaken.length > 0,
    conflict: overtaken.length > 0 && (
      <EditConflict
        what={what}
        fields={overtaken.map((field) => ({
          label: labels[field],
          theirs: printField(field, saved),
          mine: printField(field, draft.value),
        }))}
        onKeep={() => {
          draft.keep()
          void submit()
        }}
        onTake={() => draft.follow(overtaken)}
      />
    ),
  }
}

const IDLE = { isPending: false, error: null }

function printValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}
