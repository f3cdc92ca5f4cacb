import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { createExample, saveExample } from '#data/examples.ts'
import {
  type DraftChanges,
  dropSaved,
  type ExampleDraft,
  findPartProblem,
  getChangedFields,
  locateSaveProblems,
  PARTS,
  type Part,
  pickChanges,
  type SaveProblems,
} from '#lib/datasets/example-draft.ts'
import { createSchemaCheck, type SchemaCheck } from '#lib/datasets/schema-check.ts'
import type { StoredExample } from '#lib/datasets/stored-example.ts'
import { createStore, useStore } from '#lib/store.ts'
import { findJsonProblems } from '#ui/json-editor.tsx'
import { toast } from '#ui/toast.tsx'
import { useInvalidFields } from './value-control.tsx'

/** Unsaved changes by example, so that looking at another example loses nothing. */
const drafts = createStore<Readonly<Record<string, DraftChanges>>>(() => ({}))

const NO_CHANGES: DraftChanges = {}

/** @param key  id of an example, or a name for a new one */
export function readDraft(key: string): DraftChanges {
  return drafts.read()[key] ?? NO_CHANGES
}

/** The changes keep their identity until the next edit. */
export function useDraft(key: string): DraftChanges {
  return useStore(drafts)[key] ?? NO_CHANGES
}

/** @param changes  without fields: there is no draft */
export function writeDraft(key: string, changes: DraftChanges): void {
  const { [key]: _, ...others } = drafts.read()
  drafts.write(Object.keys(changes).length === 0 ? others : { ...others, [key]: changes })
  guardReload(Object.keys(drafts.read()).length > 0)
}

/** Drafts live in memory: a reload asks first, also after the editor was closed. */
function guardReload(isNeeded: boolean): void {
  if (isNeeded) window.addEventListener('beforeunload', askFirst)
  else window.removeEventListener('beforeunload', askFirst)
}

const askFirst = (event: BeforeUnloadEvent) => event.preventDefault()

/** The schemas that the parts of an example must satisfy. */
export interface Schemas {
  inputs?: unknown
  outputs?: unknown
}

export interface EditorOptions {
  datasetId: string
  /** Absent for a new example. */
  stored: StoredExample | undefined
  /** The draft of the stored example, or of a new one; must keep its identity. */
  saved: ExampleDraft
  schemas: Schemas
  /** Shows the saved example, also while there is a draft of it: an old version is not what the draft changes. */
  readOnly: boolean
  /** @param id  of the example that was created or changed */
  onSaved?: ((id: string) => void) | undefined
}

/** The draft of an example: its problems, and saving it. */
export function useExampleEditor({ datasetId, stored, saved, schemas, readOnly, onSaved }: EditorOptions) {
  const queryClient = useQueryClient()
  const key = stored?.id ?? `new ${datasetId}`
  const changes = useDraft(key)
  const draft = useMemo(() => (readOnly ? saved : { ...saved, ...changes }), [readOnly, saved, changes])
  const [refused, setRefused] = useState<SaveProblems>()
  const checks = usePartChecks(schemas, refused)
  const { count: invalidFields, onValidity } = useInvalidFields()
  const [discards, setDiscards] = useState(0)

  const discard = useCallback(() => {
    writeDraft(key, {})
    setDiscards((before) => before + 1)
    setRefused(undefined)
  }, [key])
  const save = useMutation({
    mutationFn: async (sent: ExampleDraft) => {
      if (stored === undefined) return createExample(queryClient, datasetId, sent)
      await saveExample(queryClient, stored, sent)
      return stored.id
    },
    onSuccess: (id, sent) => {
      // What was typed meanwhile stays unsaved.
      writeDraft(key, dropSaved(readDraft(key), sent))
      setRefused(undefined)
      toast.done(stored === undefined ? 'Example created' : 'Example saved')
      onSaved?.(id)
    },
    onError: (error, sent) => setRefused(locateSaveProblems(error, sent)),
  })
  const change = useCallback(
    (part: Partial<ExampleDraft>) => {
      const next = { ...readDraft(key), ...part }
      // A field that is set back while it is saved differs from what will be stored.
      writeDraft(key, save.isPending ? next : pickChanges({ ...saved, ...next }, saved))
    },
    [key, saved, save.isPending],
  )
  const isChanged =
    !readOnly && (stored === undefined || invalidFields > 0 || getChangedFields(draft, saved).length > 0)
  const isValid = invalidFields === 0 && PARTS.every((part) => findPartProblem(part, draft[part]) === undefined)
  return {
    draft,
    change,
    discard,
    /** How often the draft was discarded: text that is no value is not in the draft, so its fields start again. */
    discards,
    onValidity,
    checks,
    isChanged,
    canSave: isChanged && isValid && !save.isPending,
    isSaving: save.isPending,
    /** Why the last save failed, until the draft changes. */
    error: refused?.draft === draft ? save.error : null,
    countProblems: () =>
      PARTS.reduce(
        (sum, part) =>
          sum + findJsonProblems(draft[part], { check: checks[part], mayBeEmpty: part !== 'inputs' }).length,
        invalidFields,
      ),
    submit: () => {
      if (isChanged && isValid && !save.isPending) save.mutate(draft)
    },
  }
}

export type ExampleEditorState = ReturnType<typeof useExampleEditor>

/** For each part: what the schema and the last refusal of the server say about a text. */
function usePartChecks(schemas: Schemas, refused: SaveProblems | undefined): Readonly<Record<Part, SchemaCheck>> {
  const inputs = useMemo(() => createSchemaCheck(schemas.inputs), [schemas.inputs])
  const outputs = useMemo(() => createSchemaCheck(schemas.outputs), [schemas.outputs])
  return useMemo(() => {
    const byPart: Readonly<Record<Part, SchemaCheck>> = { inputs, outputs, metadata: () => [] }
    const withRefusal = (part: Part) => (text: string) => {
      if (!text.trim().startsWith('{'))
        return [{ from: 0, to: text.length, message: findPartProblem(part, text) ?? '' }]
      const own = byPart[part](text)
      // The server names the same values in its own words.
      return own.length === 0 && refused?.draft[part] === text ? refused.parts[part] : own
    }
    return { inputs: withRefusal('inputs'), outputs: withRefusal('outputs'), metadata: withRefusal('metadata') }
  }, [inputs, outputs, refused])
}
