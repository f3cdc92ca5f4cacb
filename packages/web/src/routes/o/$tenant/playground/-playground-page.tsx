import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ModelProvider } from '@touchstone/sdk'
import { Database, FilePlus, FolderOpen, Play, Plug, Plus, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useMay } from '#data/me.ts'
import { modelProviderQuery } from '#data/model-providers.ts'
import { draftQuery } from '#data/playground.ts'
import { cx } from '#lib/browser.ts'
import { formatMinute, formatRelativeTime, pluralize } from '#lib/format.ts'
import { isBusy } from '#lib/playground/answers.ts'
import type { PlaygroundController, PlaygroundState } from '#lib/playground/controller.ts'
import { listVariableRows, type VariableRow } from '#lib/playground/variables.ts'
import { MAX_REPEATS, MAX_VARIANTS, type Variant } from '#lib/playground/variant.ts'
import { toPromptName } from '#lib/prompts/prompt-key.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { useStore } from '#lib/store.ts'
import { PageFrame } from '#shell/page-frame.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { CONTROL } from '#ui/field.tsx'
import { NOT_WIDE, useMedia } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuItem, MenuLabel } from '#ui/menu.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { toast } from '#ui/toast.tsx'
import {
  type Autosave,
  type Opened,
  openPlayground,
  openPrompt,
  useAutosave,
  useController,
} from './-use-playground.ts'
import { VariablesPanel } from './-variables-panel.tsx'
import { VariantColumn } from './-variant-column.tsx'
import type { PlaygroundSearch } from './index.tsx'

const CommitDialog = lazyExtra(() => import('./-commit-dialog.tsx').then((module) => module.CommitDialog))
const DatasetDialog = lazyExtra(() => import('./-dataset-dialog.tsx').then((module) => module.DatasetDialog))
const JobStrip = lazyExtra(() => import('./-job-strip.tsx').then((module) => module.JobStrip))
const ProviderDialog = lazyExtra(() =>
  import('#domain/model-providers/provider-dialog.tsx').then((module) => module.ProviderDialog),
)

interface PlaygroundPageProps {
  tenant: string
  search: PlaygroundSearch
  /** Called with the id of the draft that the page was saved as. */
  onCreated: (id: string) => void
  /** Shows the progress of a run over a dataset, or of none. */
  onJob: (id: string | undefined) => void
  onNew: () => void
}

/** Prompts and models side by side: written, run and compared. */
export function PlaygroundPage(props: PlaygroundPageProps) {
  const queryClient = useQueryClient()
  // What the page was opened with stays while its own draft comes into the address.
  const [search] = useState(props.search)
  const [openedAt] = useState(() => Date.now())
  const providers = useQuery(modelProviderQuery.list())
  const hasProviders = providers.data !== undefined && providers.data.length > 0
  const opened = useQuery({
    queryKey: ['playground-open', search, openedAt],
    queryFn: () => openPlayground(queryClient, search),
    // A page that was opened before the first provider was added would have none in its variants.
    enabled: hasProviders,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    structuralSharing: false,
    meta: { quiet: true },
  })
  if (opened.data !== undefined && hasProviders) {
    return <Playground {...props} opened={opened.data} providers={providers.data} />
  }
  const error = opened.error ?? providers.error
  return (
    <PageFrame title="Playground">
      <div className="min-h-0 flex-1 overflow-auto">
        {error !== null ? (
          <ErrorState
            title="Could not open the playground"
            error={error}
            onRetry={() => void Promise.all([providers.refetch(), hasProviders && opened.refetch()])}
          />
        ) : providers.data?.length === 0 ? (
          <NoProvider />
        ) : (
          <SkeletonRows label="Opening the playground" />
        )}
      </div>
    </PageFrame>
  )
}

function NoProvider() {
  const isAdmin = useMay('admin')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <EmptyState
        icon={Plug}
        title="Add a provider of models first"
        actions={
          <Button
            look="primary"
            disabled={!isAdmin}
            title={isAdmin ? undefined : 'Only admins can add providers.'}
            onClick={() => setOpen(true)}
          >
            <Plus size={13} aria-hidden />
            Add provider
          </Button>
        }
      >
        OpenAI, Anthropic, Gemini, Ollama or any compatible API. Calls leave from this server, and members use the key
        without reading it.
      </EmptyState>
      <Suspense>{isOpen && <ProviderDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

interface PlaygroundProps extends PlaygroundPageProps {
  opened: Opened
  providers: readonly ModelProvider[]
}

function Playground({ tenant, search, opened, providers, onCreated, onJob, onNew }: PlaygroundProps) {
  const mayRun = useMay('member')
  const controller = useController(opened.state)
  const state = useStore(controller.store)
  const autosave = useAutosave(controller, opened, { isEnabled: mayRun, onCreated })
  const [committed, setCommitted] = useState<string>()
  const [isDatasetOpen, setDatasetOpen] = useState(false)
  const [tab, setTab] = useState(state.variants[0]?.key ?? '1')
  const { variants, values } = state
  const rows = useMemo(() => listVariableRows(variants, values), [variants, values])
  const runAll = useCallback(() => {
    const refused = mayRun ? controller.runAll() : []
    const names = controller.store.read().variants.flatMap(({ key, name }) => (refused.includes(key) ? [name] : []))
    if (names.length > 0) toast.failure(`Not run: ${names.join(', ')}. Complete what is marked first.`)
  }, [controller, mayRun])
  const runUnlessDialog = ({ target }: Event) => {
    if (!(target instanceof Element && target.closest('[role="dialog"]'))) runAll()
  }
  useShortcuts('Global', [{ keys: 'mod+enter', label: 'Run all variants', run: runUnlessDialog }])
  const committing = variants.find(({ key }) => key === committed)
  const missing = rows.filter((row) => row.state === 'missing').length
  const column = (variant: Variant, isNarrow: boolean) => (
    <VariantColumn
      key={variant.key}
      tenant={tenant}
      variant={variant}
      state={state}
      controller={controller}
      providers={providers}
      notes={variant.key === '1' ? opened.notes : NO_NOTES}
      mayRun={mayRun}
      isNarrow={isNarrow}
      onRunAll={runAll}
      onCommit={setCommitted}
    />
  )
  const toolbar = (
    <Toolbar autosave={autosave} repeats={state.repeats} onRepeats={(n) => controller.setRepeats(n)} onNew={onNew} />
  )
  const add = () => setTab(controller.add() ?? tab)
  return (
    <PageFrame
      title="Playground"
      toolbar={toolbar}
      actions={
        <PageActions
          state={state}
          controller={controller}
          mayRun={mayRun}
          onAdd={add}
          onDataset={() => setDatasetOpen(true)}
          onRunAll={runAll}
        />
      }
      status={
        <>
          <span>{pluralize(variants.length, 'variant')}</span>
          {missing > 0 && <span>{pluralize(missing, 'variable')} without a value</span>}
          <SaveState autosave={autosave} />
        </>
      }
    >
      <Columns
        variants={variants}
        tab={tab}
        onTab={setTab}
        onRunAll={runAll}
        column={column}
        variables={rows}
        controller={controller}
        origin={
          <>
            <Suspense>
              {search.job !== undefined && (
                <JobStrip key={search.job} jobId={search.job} mayRun={mayRun} onDismiss={() => onJob(undefined)} />
              )}
            </Suspense>
            <Origin opened={opened} providers={providers} onOpen={(next) => controller.load(next.state)} />
          </>
        }
      />
      <Suspense>
        {committing && (
          <CommitDialog
            variant={committing}
            provider={providers.find(({ id }) => id === committing.providerId)}
            onCommitted={(prompt) => controller.change(committing.key, (one) => ({ ...one, prompt }))}
            onClose={() => setCommitted(undefined)}
          />
        )}
        {isDatasetOpen && (
          <DatasetDialog state={state} name={autosave.name} onStarted={onJob} onClose={() => setDatasetOpen(false)} />
        )}
      </Suspense>
    </PageFrame>
  )
}

interface PageActionsProps {
  state: PlaygroundState
  controller: PlaygroundController
  mayRun: boolean
  onAdd: () => void
  onDataset: () => void
  onRunAll: () => void
}

function PageActions({ state: { variants, runs }, controller, mayRun, onAdd, onDataset, onRunAll }: PageActionsProps) {
  const isRunning = variants.some(({ key }) => (runs[key]?.at(-1)?.answers ?? []).some(isBusy))
  const isFull = variants.length >= MAX_VARIANTS
  return (
    <>
      <Button
        disabled={isFull}
        title={isFull ? `At most ${MAX_VARIANTS} variants` : undefined}
        aria-label="Add variant"
        onClick={onAdd}
      >
        <Plus size={13} aria-hidden />
        <span className="max-sm:sr-only">Variant</span>
      </Button>
      <Button
        disabled={!mayRun}
        title={mayRun ? undefined : READ_ONLY}
        aria-label="Run over a dataset"
        onClick={onDataset}
      >
        <Database size={13} aria-hidden />
        <span className="max-sm:sr-only">Dataset</span>
      </Button>
      {isRunning ? (
        <Button onClick={() => controller.stopAll()}>
          <Square size={12} aria-hidden />
          Stop all
        </Button>
      ) : (
        <Button look="primary" disabled={!mayRun} title={mayRun ? 'Ctrl+Enter' : READ_ONLY} onClick={onRunAll}>
          <Play size={12} aria-hidden />
          Run all
        </Button>
      )}
    </>
  )
}

interface ColumnsProps {
  variants: readonly Variant[]
  /** Key of the variant that a phone shows. */
  tab: string
  onTab: (key: string) => void
  onRunAll: () => void
  column: (variant: Variant, isNarrow: boolean) => ReactNode
  variables: readonly VariableRow[]
  controller: PlaygroundController
  origin: ReactNode
}

/** Variants side by side with their variables; on a narrow page one variant below its variables. */
function Columns({ variants, tab, onTab, onRunAll, column, variables, controller, origin }: ColumnsProps) {
  const isNarrow = useMedia(NOT_WIDE)
  const shown = variants.some(({ key }) => key === tab) ? tab : (variants[0]?.key ?? '')
  const isMissing = variables.some((row) => row.state === 'missing')
  const panel = (
    <VariablesPanel
      rows={variables}
      hasSeveral={variants.length > 1}
      onChange={(name, text) => controller.setValue(name, text)}
      onRemove={(name) => controller.removeValue(name)}
    />
  )
  function press(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return
    // React also passes on the keys of a dialog that an answer opened elsewhere in the document.
    if (!event.currentTarget.contains(event.target as Node)) return
    event.preventDefault()
    // The shortcut of the page would run it again.
    event.stopPropagation()
    onRunAll()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the fields inside
    <div onKeyDown={press} className={cx('flex min-h-0 min-w-0 flex-1', isNarrow && 'flex-col overflow-y-auto')}>
      {isNarrow ? (
        <>
          {origin}
          {variables.length > 0 && (
            <Disclosure
              className="border-b border-border px-2"
              summary={`Variables: ${variables.map(({ name }) => name).join(', ')}`}
              startsOpen={isMissing}
            >
              {panel}
            </Disclosure>
          )}
          <Tabs
            label="Variants"
            value={shown}
            onChange={onTab}
            tabs={variants.map((variant) => ({
              id: variant.key,
              label: `Variant ${variant.name}`,
              content: variant.key === shown ? column(variant, true) : null,
            }))}
          />
        </>
      ) : (
        <>
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            {origin}
            <div className="flex min-h-0 min-w-0 flex-1 overflow-x-auto">
              {variants.map((variant) => column(variant, false))}
            </div>
          </div>
          <aside className="w-64 shrink-0 overflow-y-auto border-l border-border bg-surface xl:w-72">{panel}</aside>
        </>
      )}
    </div>
  )
}

const NO_NOTES: Opened['notes'] = []

interface ToolbarProps {
  autosave: Autosave
  repeats: number
  onRepeats: (repeats: number) => void
  onNew: () => void
}

/** Name of the draft, other drafts, and the number of answers. */
function Toolbar({ autosave, repeats, onRepeats, onNew }: ToolbarProps) {
  const drafts = useQuery(draftQuery.list()).data
  return (
    <>
      <input
        aria-label="Name of the draft"
        value={autosave.name}
        maxLength={200}
        onChange={(event) => autosave.rename(event.target.value)}
        className={`${CONTROL} !h-7 !w-40 shrink !border-transparent !text-row hover:!border-border focus:!border-border-strong sm:!w-56`}
      />
      <Menu trigger={<IconButton icon={FolderOpen} label="Drafts" />}>
        <MenuItem icon={<FilePlus size={13} aria-hidden />} onSelect={onNew}>
          New
        </MenuItem>
        {drafts !== undefined && drafts.drafts.length > 0 && (
          <MenuLabel>
            {drafts.total > drafts.drafts.length
              ? `The newest ${drafts.drafts.length} of ${drafts.total} drafts`
              : 'Drafts of the workspace'}
          </MenuLabel>
        )}
        {drafts?.drafts.map(({ id, name, updated_at, updated_by_name: by }) => (
          <MenuItem key={id} asChild>
            <Link to="." search={{ draft: id }}>
              <span className="min-w-0 max-w-56 flex-1 truncate">{name}</span>
              <span className="text-meta text-fg-muted">
                {[formatRelativeTime(updated_at), by].filter(Boolean).join(', ')}
              </span>
            </Link>
          </MenuItem>
        ))}
      </Menu>
      <label className="flex shrink-0 items-center gap-1.5 text-row text-fg-muted">
        Repeats
        <input
          type="number"
          min={1}
          max={MAX_REPEATS}
          value={repeats}
          onChange={(event) => onRepeats(event.target.valueAsNumber)}
          className={`${CONTROL} num !h-7 !w-14 !text-row`}
        />
      </label>
    </>
  )
}

function SaveState({ autosave: { state, savedAt, problem, overwrite } }: { autosave: Autosave }) {
  if (state === 'conflict') {
    return (
      <span role="alert" className="text-err">
        Another member has changed this draft.{' '}
        <button type="button" className="underline" onClick={overwrite}>
          Save mine
        </button>{' '}
        <button type="button" className="underline" onClick={() => location.reload()}>
          Load theirs
        </button>
      </span>
    )
  }
  if (state === 'failed') {
    return (
      <span role="alert" className="truncate text-err">
        Not saved: {problem}
      </span>
    )
  }
  if (state === 'unchanged') return null
  return (
    <span role="status">
      {state === 'saving' || savedAt === undefined
        ? 'Saving…'
        : `Saved ${formatMinute(new Date(savedAt).toISOString())}`}
    </span>
  )
}

interface OriginProps {
  opened: Opened
  providers: readonly ModelProvider[]
  onOpen: (opened: Opened) => void
}

/** Offers the prompt that the opened run was made from, in place of its rendered messages. */
function Origin({ opened: { origin }, providers, onOpen }: OriginProps) {
  const queryClient = useQueryClient()
  const [isDone, setDone] = useState(false)
  if (origin === undefined || isDone) return null
  const { prompt, values } = origin
  const count = Object.keys(values ?? {}).length
  async function open() {
    try {
      onOpen(await openPrompt(queryClient, prompt, providers, values))
      setDone(true)
    } catch (error) {
      toast.failure('Could not open the prompt', error)
    }
  }
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-row">
      <span className="min-w-0">
        These are the messages of the run, which used the prompt <bdi className="font-mono">{toPromptName(prompt)}</bdi>
        .{' '}
        {count === 0
          ? 'The values of its variables are not known.'
          : `It had ${pluralize(count, 'value')} of variables.`}
      </span>
      <Button onClick={() => void open()}>Open the prompt instead</Button>
      <Button look="quiet" onClick={() => setDone(true)}>
        Dismiss
      </Button>
    </p>
  )
}
