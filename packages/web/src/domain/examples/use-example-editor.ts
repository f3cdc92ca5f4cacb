import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { createExample, saveExample } from '#data/examples.ts'
import {
  type ExampleDraft,
  findPartProblem,
  getChangedFields,
  locateSaveProblems,
  PARTS,
  type Part,
  type SaveProblems,
} from '#lib/datasets/example-draft.ts'
import { createSchemaCheck, type SchemaCheck } from '#lib/datasets/schema-check.ts'
import type { StoredExample } from '#lib/datasets/stored-example.ts'
import { createStore, useStore } from '#lib/store.ts'
import { findJsonProblems } from '#ui/json-editor.tsx'
import { toast } from '#ui/toast.tsx'

/** Unsaved drafts by example, so that looking at another example loses nothing. */
const drafts = createStore<Readonly<Record<string, ExampleDraft>>>(() => ({}))

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
  /** @param id  of the example that was created or changed */
  onSaved?: ((id: string) => void) | undefined
}

/** The draft of an example: its problems, and saving it. */
export function useExampleEditor({ datasetId, stored, saved, schemas, onSaved }: EditorOptions) {
  const queryClient = useQueryClient()
  const key = stored?.id ?? `new ${datasetId}`
  const draft = useStore(drafts)[key] ?? saved
  const [refused, setRefused] = useState<SaveProblems>()
  const checks = usePartChecks(schemas, refused)

  const discard = useCallback(() => {
    const { [key]: _, ...others } = drafts.read()
    drafts.write(others)
    setRefused(undefined)
  }, [key])
  const change = useCallback(
    (part: Partial<ExampleDraft>) => {
      const current = drafts.read()[key] ?? saved
      drafts.write({ ...drafts.read(), [key]: { ...current, ...part } })
    },
    [key, saved],
  )
  const save = useMutation({
    mutationFn: async (sent: ExampleDraft) => {
      if (stored === undefined) return createExample(queryClient, datasetId, sent)
      await saveExample(queryClient, stored, sent)
      return stored.id
    },
    onSuccess: (id, sent) => {
      // What was typed meanwhile stays unsaved.
      if (drafts.read()[key] === sent || drafts.read()[key] === undefined) discard()
      toast.done(stored === undefined ? 'Example created' : 'Example saved')
      onSaved?.(id)
    },
    onError: (error, sent) => setRefused(locateSaveProblems(error, sent)),
  })
  const isChanged = stored === undefined || getChangedFields(draft, saved).length > 0
  const isValid = PARTS.every((part) => findPartProblem(part, draft[part]) === undefined)
  return {
    draft,
    change,
    discard,
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
        0,
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
