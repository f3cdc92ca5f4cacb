import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { draftOwner } from '#lib/draft-owner.ts'
import { describeFailure } from '#lib/errors.ts'
import { readKeptDraft, writeKeptDraft } from '#lib/kept-drafts.ts'
import { createStore, useStore } from '#lib/store.ts'
import { findJsonProblems } from '#ui/json-editor.tsx'
import { toast } from '#ui/toast.tsx'
import { createSchemaCheck, type SchemaCheck } from '../schema/schema-check.ts'
import {
  type DraftBases,
  type DraftChanges,
  dropSaved,
  type ExampleDraft,
  findOvertaken,
  findPartProblem,
  getChangedFields,
  getFields,
  locateSaveProblems,
  omitFields,
  PARTS,
  type Part,
  pickChanges,
  pickFields,
  type SaveProblems,
  startDraft,
} from './logic/example-draft.ts'
import type { StoredExample } from './logic/stored-example.ts'
import { createExample, exampleQuery, saveExample } from './queries.ts'
import { useInvalidFields } from './value-control.tsx'

interface Draft {
  readonly changes: DraftChanges
  readonly bases: DraftBases
  /** Whether it was made before the page was loaded again. */
  readonly isRestored?: true
}

/** Unsaved changes by example, so that looking at another example loses nothing. They survive a reload, but for files. */
const drafts = createStore<Readonly<Record<string, Draft>>>(() => ({}))

const NO_DRAFT: Draft = { changes: {}, bases: {} }

/** @param key  id of an example, or a name for a new one */
export function readDraft(key: string): DraftChanges {
  return drafts.read()[key]?.changes ?? NO_DRAFT.changes
}

/** The changes keep their identity until the next edit. */
export function useDraft(key: string): DraftChanges {
  const owner = useStore(draftOwner)
  useEffect(() => {
    if (owner !== undefined) restoreDraft(key)
  }, [owner, key])
  return useStore(drafts)[key]?.changes ?? NO_DRAFT.changes
}

const toKeptName = (key: string) => `example ${key}`

function restoreDraft(key: string): void {
  if (drafts.read()[key] !== undefined) return
  const kept = readKeptDraft(toKeptName(key)) as Partial<Draft> | undefined
  const changes = pickFields((kept?.changes ?? {}) as DraftChanges, KEPT_FIELDS)
  const bases = pickFields((kept?.bases ?? {}) as DraftBases, getFields(changes))
  const isSound = getFields(changes).every((field) =>
    field === 'splits' || field === 'kept' ? Array.isArray(changes[field]) : typeof changes[field] === 'string',
  )
  if (getFields(changes).length > 0 && isSound) putDraft(key, { changes, bases, isRestored: true })
}

/** Files that are to be attached cannot be kept. */
const KEPT_FIELDS = ['inputs', 'outputs', 'metadata', 'splits', 'kept'] as const

function putDraft(key: string, draft: Draft | undefined): void {
  const { [key]: _, ...others } = drafts.read()
  drafts.write(draft === undefined ? others : { ...others, [key]: draft })
  guardReload(Object.keys(drafts.read()).length > 0)
  const changes = pickFields(draft?.changes ?? {}, KEPT_FIELDS)
  const kept = getFields(changes).length === 0 ? undefined : { changes, bases: draft?.bases }
  writeKeptDraft(toKeptName(key), kept)
}

/**
 * @param changes  without fields: there is no draft
 * @param saved  the saved example on which newly edited fields are based
 */
export function writeDraft(key: string, changes: DraftChanges, saved?: ExampleDraft): void {
  const before = drafts.read()[key] ?? NO_DRAFT
  const bases: DraftBases = {
    ...saved,
    ...pickFields(before.bases, getFields(before.changes)),
  }
  const draft = { ...before, changes, bases: pickFields(bases, getFields(changes)) }
  putDraft(key, getFields(changes).length === 0 ? undefined : draft)
}

/** Bases the edits on the example as it is saved now, although others have changed it. */
function rebaseDraft(key: string, saved: ExampleDraft): void {
  const draft = drafts.read()[key]
  if (draft !== undefined) putDraft(key, { ...draft, bases: pickFields(saved, getFields(draft.changes)) })
}

/** Files of drafts live in memory, and a closed tab loses all of them: leaving asks first, also after the editor was closed. */
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
  const { bases, isRestored = false } = useStore(drafts)[key] ?? NO_DRAFT
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
      await saveOnNewest(queryClient, stored, pickChanges(sent, saved), drafts.read()[key]?.bases ?? {})
      return stored.id
    },
    onSuccess: (id, sent) => {
      // What was typed meanwhile stays unsaved, and is based on what was stored.
      writeDraft(key, dropSaved(readDraft(key), sent))
      rebaseDraft(key, sent)
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
      writeDraft(key, save.isPending ? next : pickChanges({ ...saved, ...next }, saved), saved)
    },
    [key, saved, save.isPending],
  )
  const isChanged =
    !readOnly && (stored === undefined || invalidFields > 0 || getChangedFields(draft, saved).length > 0)
  // What is being saved comes back before its draft ends.
  const overtaken = useMemo(
    () => (readOnly || save.isPending ? [] : findOvertaken(changes, bases, saved)),
    [readOnly, save.isPending, changes, bases, saved],
  )
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
    /** Whether the edits were made before the page was loaded again. */
    isRestored: !readOnly && isRestored,
    canSave: isChanged && isValid && !save.isPending && overtaken.length === 0,
    /** Edited fields that were saved elsewhere meanwhile; they are saved after the user has chosen. */
    overtaken,
    /** Saves the edits on top of what was saved elsewhere. */
    keepMine: () => {
      rebaseDraft(key, saved)
      if (isValid && !save.isPending) save.mutate(draft)
    },
    /** Discards the edits of fields that were saved elsewhere. */
    takeTheirs: () => {
      writeDraft(key, omitFields(changes, overtaken))
      setDiscards((before) => before + 1)
      save.reset()
    },
    isSaving: save.isPending,
    /** Why the last save failed, until the draft changes. */
    error: overtaken.length === 0 && refused?.draft === draft ? save.error : null,
    countProblems: () =>
      PARTS.reduce(
        (sum, part) =>
          sum + findJsonProblems(draft[part], { check: checks[part], mayBeEmpty: part !== 'inputs' }).length,
        invalidFields,
      ),
    submit: () => {
      if (isChanged && isValid && !save.isPending && overtaken.length === 0) save.mutate(draft)
    },
  }
}

/** Versions of others between reading and saving an example, before the save fails. */
const MAX_OVERTAKEN = 5

/**
 * Saves changes of an example. A version that was saved elsewhere meanwhile and changed other fields stays: the changes are
 * saved on top of it.
 *
 * @throws ConflictError when it changed the same fields; then the newest version is in the cache
 */
export async function saveOnNewest(
  queryClient: QueryClient,
  read: StoredExample,
  changes: DraftChanges,
  bases: DraftBases,
): Promise<void> {
  let stored = read
  for (let attempt = 1; ; attempt++) {
    try {
      return await saveExample(queryClient, stored, { ...startDraft(stored), ...changes })
    } catch (error) {
      if (describeFailure(error).status !== 409 || attempt === MAX_OVERTAKEN) throw error
      const newest = await queryClient.fetchQuery({
        ...exampleQuery.one(read.datasetId, read.id),
        staleTime: 0,
      })
      const isOvertaken = findOvertaken(changes, bases, startDraft(newest)).length > 0
      if (isOvertaken || newest.modifiedAt === stored.modifiedAt) throw error
      stored = newest
    }
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
