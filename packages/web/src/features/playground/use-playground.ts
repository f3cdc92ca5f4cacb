import { useQueryClient } from '@tanstack/react-query'
import type { ModelProvider } from '@touchstone/sdk'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { modelProviderQuery } from '#features/models/providers/queries.ts'
import { getDocument, promptQuery } from '#features/prompts/queries.ts'
import { readPayload, traceQuery } from '#features/traces/queries.ts'
import { describeFailure } from '#lib/errors.ts'
import { Autosaver, type SaveOutcome } from './logic/autosave.ts'
import { EMPTY_STATE, PlaygroundController, type PlaygroundState } from './logic/controller.ts'
import { findDraftProblem, fromDraftBody, toDraftBody } from './logic/draft.ts'
import { variantFromManifest } from './logic/from-manifest.ts'
import { findVariableValues, toValueTexts, variantFromRun } from './logic/from-run.ts'
import type { PromptSource, RecoveryNote, Variant } from './logic/variant.ts'
import { draftQuery, isDraftSafe, type SavedDraft, saveDraft, streamPlaygroundRun } from './queries.ts'
import type { PlaygroundSearch } from './search.ts'

/** What the page was opened with. */
export interface Opened {
  readonly state: PlaygroundState
  readonly name: string
  readonly notes: readonly RecoveryNote[]
  /** The prompt that the opened run names, with the values of its variables, if they are known. */
  readonly origin?: { readonly prompt: PromptSource; readonly values: Readonly<Record<string, unknown>> | undefined }
  readonly draft?: SavedDraft
}

type QueryClient = ReturnType<typeof useQueryClient>

/** Reads what the address names: a draft, a run or a prompt; without one, an empty variant. */
export async function openPlayground(
  queryClient: QueryClient,
  { draft, run, prompt }: PlaygroundSearch,
): Promise<Opened> {
  const providers = await queryClient.ensureQueryData(modelProviderQuery.list())
  if (draft !== undefined) return openDraft(queryClient, draft)
  if (run !== undefined) return openRun(queryClient, run, providers)
  if (prompt !== undefined) {
    const [owner = '-', repo = '', commit = 'latest'] = prompt.split('/')
    return openPrompt(queryClient, { owner, repo, commit }, providers)
  }
  const variants = EMPTY_STATE.variants.map((variant) => withProvider(variant, providers, undefined))
  return { state: { ...EMPTY_STATE, variants }, name: 'Untitled', notes: [] }
}

async function openDraft(queryClient: QueryClient, id: string): Promise<Opened> {
  const draft = await queryClient.fetchQuery(draftQuery.one(id))
  const state = fromDraftBody(draft.body)
  if (state === undefined) throw new Error('A newer version of Touchstone saved this draft. Reload the page.')
  return { state, name: draft.name, notes: [], draft }
}

async function openRun(queryClient: QueryClient, id: string, providers: readonly ModelProvider[]): Promise<Opened> {
  const { run, json, payload } = await queryClient.fetchQuery(traceQuery.run(id))
  const { inputs } = payload ?? (await readPayload(json))
  const { variant, notes, provider } = variantFromRun({ inputs, extra: run.extra })
  const variants = [withProvider(variant, providers, provider)]
  const state = { ...EMPTY_STATE, variants, origin: { runId: id } }
  const opened = { state, name: run.name.slice(0, 200) || 'Untitled', notes }
  const source = variant.prompt
  if (source === undefined) return opened
  const found = await queryClient.fetchQuery(promptQuery.commit(source, source.commit)).catch(() => undefined)
  const document = found?.kind === 'found' ? getDocument(found.commit) : undefined
  if (document === undefined) return opened
  const above = await Promise.all(
    [...new Set([run.parent_run_id, run.trace_id])]
      .filter((one) => one != null && one !== id)
      .map((one) => queryClient.fetchQuery(traceQuery.run(String(one))).catch(() => undefined)),
  )
  const candidates = [inputs, run.extra?.metadata, ...above.map((one) => one?.payload?.inputs)]
  return { ...opened, origin: { prompt: source, values: findVariableValues(document.variables, candidates) } }
}

/** A commit of a prompt as the only variant. */
export async function openPrompt(
  queryClient: QueryClient,
  source: PromptSource,
  providers: readonly ModelProvider[],
  values: Readonly<Record<string, unknown>> = {},
): Promise<Opened> {
  const found = await queryClient.fetchQuery(promptQuery.commit(source, source.commit))
  if (found.kind === 'empty') throw new Error(`The prompt ${source.repo} has no commits.`)
  if (found.kind !== 'found') throw new Error(`The prompt ${source.repo} has no single commit ${source.commit}.`)
  const { commit } = found
  const document = getDocument(commit)
  if (document === undefined)
    throw new Error('problem' in commit.read ? commit.read.problem : 'The prompt is not known.')
  const { variant, notes, values: own } = variantFromManifest(document, commit.manifest)
  const prompt = { owner: source.owner, repo: source.repo, commit: commit.summary.commit_hash }
  const variants = [withProvider({ ...variant, prompt }, providers, document.model?.provider)]
  const texts = toValueTexts({ ...own, ...values })
  return { state: { ...EMPTY_STATE, variants, values: texts }, name: source.repo, notes }
}

/** The provider of a recorded name, of a model's name, or the only one there is. */
function withProvider(variant: Variant, providers: readonly ModelProvider[], name: string | undefined): Variant {
  const isNamed = ({ provider, kind }: ModelProvider) => {
    const maker = kind.split('-')[0] ?? ''
    return name !== undefined && (provider === name || name.toLowerCase().includes(provider ?? maker))
  }
  const found =
    providers.find(({ models }) => models.includes(variant.model)) ??
    providers.find(isNamed) ??
    (providers.length === 1 || variant.model === '' ? providers[0] : undefined)
  if (found === undefined) return variant
  const { id, models } = found
  return { ...variant, providerId: id, model: variant.model || (models[0] ?? '') }
}

/** A controller that lives as long as the page; its calls end with it. */
export function useController(state: PlaygroundState): PlaygroundController {
  const [controller] = useState(
    () =>
      new PlaygroundController(
        { run: streamPlaygroundRun, nextFrame: (draw) => void requestAnimationFrame(draw) },
        state,
      ),
  )
  useEffect(() => () => controller.stopAll(), [controller])
  return controller
}

export interface Autosave {
  readonly state: 'unchanged' | 'saving' | 'saved' | 'failed' | 'conflict'
  readonly savedAt: number | undefined
  readonly problem: string | undefined
  readonly name: string
  readonly rename: (name: string) => void
  /** Gives up what is not saved, so that the page can be left. */
  readonly discard: () => void
  /** Saves although another member has changed the draft. */
  readonly overwrite: () => void
}

interface AutosaveOptions {
  readonly isEnabled: boolean
  /** Called with the id of a new draft while the page is open. */
  readonly onCreated: (id: string) => void
}

/** Saves the page on the server, shortly after the last change and when it is left. */
export function useAutosave(
  controller: PlaygroundController,
  opened: Opened,
  { isEnabled, onCreated }: AutosaveOptions,
): Autosave {
  const queryClient = useQueryClient()
  const draft = useRef(opened.draft)
  const [name, setName] = useState(opened.name)
  const [shown, setShown] = useState<Pick<Autosave, 'state' | 'savedAt' | 'problem'>>({
    state: 'unchanged',
    savedAt: undefined,
    problem: undefined,
  })
  const saver = useRef<Autosaver>(undefined)
  const isOpen = useRef(true)
  /** Whether the browser finishes the save that began last when the page is closed. */
  const isSafe = useRef(true)
  const save = useEffectEvent(async (): Promise<SaveOutcome> => {
    setShown((before) => ({ ...before, state: 'saving' }))
    try {
      const isNew = draft.current === undefined
      const state = controller.store.read()
      const [title, body] = [name.trim().slice(0, 200) || 'Untitled', toDraftBody(state)] as const
      isSafe.current = isDraftSafe(title, body)
      const problem = findDraftProblem(body)
      if (problem !== undefined) {
        setShown((before) => ({ ...before, state: 'failed', problem }))
        return 'refused'
      }
      draft.current = await saveDraft(draft.current, title, body)
      const isNewest = controller.store.read() === state
      setShown({ state: isNewest ? 'saved' : 'saving', savedAt: Date.now(), problem: undefined })
      if (isNew && isOpen.current) onCreated(draft.current.id)
      void queryClient.invalidateQueries({ queryKey: draftQuery.list().queryKey })
      return 'saved'
    } catch (error) {
      const { message, status } = describeFailure(error)
      setShown((before) => ({ ...before, state: status === 409 ? 'conflict' : 'failed', problem: message }))
      if (status === 409) return 'conflict'
      return status !== undefined && status >= 400 && status < 500 && !isPassing(status) ? 'refused' : 'failed'
    }
  })
  useEffect(() => {
    if (!isEnabled) return
    const created = new Autosaver(() => save())
    saver.current = created
    isOpen.current = true
    const unsubscribe = controller.store.subscribe(() => {
      created.change()
      // “Saved” would be wrong until the change is.
      setShown((before) => (before.state === 'saved' ? { ...before, state: 'saving' } : before))
    })
    // The last events of a page that is closed, also on phones.
    const flush = () => void created.flush()
    const hide = () => document.visibilityState === 'hidden' && flush()
    // A save of a long draft, or one that waits for the save before it, would not be finished: the browser asks first.
    const warn = (event: BeforeUnloadEvent) => {
      flush()
      if (created.isDirty && (created.hasUnsent || !isSafe.current)) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    window.addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', hide)
    return () => {
      isOpen.current = false
      unsubscribe()
      window.removeEventListener('beforeunload', warn)
      window.removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', hide)
      void created.close()
    }
  }, [controller, isEnabled])
  async function overwrite() {
    const id = draft.current?.id
    const newest = id && (await queryClient.fetchQuery(draftQuery.one(id)).catch(() => undefined))
    if (!newest) return
    draft.current = newest
    await saver.current?.resume()
  }
  function rename(next: string) {
    setName(next)
    saver.current?.change()
  }
  return { ...shown, name, rename, discard: () => saver.current?.discard(), overwrite: () => void overwrite() }
}

/** Refusals that pass without a change: a time limit, and too many requests. */
const isPassing = (status: number) => status === 408 || status === 429
