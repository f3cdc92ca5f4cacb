import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModelProvider } from '@touchstone/sdk'
import { Database, Play, Plug, Plus, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { modelProviderQuery } from '#features/models/providers/queries.ts'
import { cx } from '#lib/browser.ts'
import { pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { useStore } from '#lib/store.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { NOT_WIDE, useMedia } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { toast } from '#ui/toast.tsx'
import { type DialogState, PlaygroundDialog } from './dialogs/playground-dialog.tsx'
import { isBusy } from './logic/answers.ts'
import type { PlaygroundController, PlaygroundState } from './logic/controller.ts'
import { listVariableRows, type VariableRow } from './logic/variables.ts'
import { MAX_VARIANTS, type Variant } from './logic/variant.ts'
import { Origin } from './playground-origin.tsx'
import { NotSaved, PlaygroundToolbar, SaveState } from './playground-toolbar.tsx'
import type { PlaygroundSearch } from './search.ts'
import { type Opened, openPlayground, useAutosave, useController } from './use-playground.ts'
import { VariablesPanel } from './variables-panel.tsx'
import { VariantColumn } from './variant-column.tsx'

const JobStrip = lazyExtra(() => import('./jobs/job-strip.tsx').then((module) => module.JobStrip))
const ProviderDialog = lazyExtra(() =>
  import('#features/models/providers/provider-dialog.tsx').then((module) => module.ProviderDialog),
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
  const [dialog, setDialog] = useState<DialogState>()
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
      onCommit={(key) => setDialog({ kind: 'commit', key })}
      onOpenPrompt={(key) => setDialog({ kind: 'prompt', key })}
    />
  )
  const toolbar = (
    <PlaygroundToolbar
      autosave={autosave}
      draftId={search.draft}
      mayRun={mayRun}
      repeats={state.repeats}
      onRepeats={(n) => controller.setRepeats(n)}
      onJob={onJob}
      onNew={onNew}
    />
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
          onDataset={() => setDialog({ kind: 'dataset' })}
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
        onTake={() => setDialog({ kind: 'row' })}
        origin={
          <>
            <Suspense>
              {search.job !== undefined && (
                <JobStrip key={search.job} jobId={search.job} mayRun={mayRun} onDismiss={() => onJob(undefined)} />
              )}
            </Suspense>
            <NotSaved autosave={autosave} />
            <Origin
              opened={opened}
              providers={providers}
              onOpen={(next) => controller.load({ ...next.state, origin: opened.state.origin })}
            />
          </>
        }
      />
      <Suspense>
        {dialog !== undefined && (
          <PlaygroundDialog
            dialog={dialog}
            state={state}
            variables={rows}
            controller={controller}
            providers={providers}
            draftName={autosave.name}
            datasetId={search.dataset}
            onShow={setTab}
            onStarted={onJob}
            onClose={() => setDialog(undefined)}
          />
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
  /** Chooses a row of a dataset. */
  onTake: () => void
  origin: ReactNode
}

/** Variants side by side with their variables; on a narrow page one variant below its variables. */
function Columns({ variants, tab, onTab, onRunAll, column, variables, controller, onTake, origin }: ColumnsProps) {
  const isNarrow = useMedia(NOT_WIDE)
  const shown = variants.some(({ key }) => key === tab) ? tab : (variants[0]?.key ?? '')
  const isMissing = variables.some((row) => row.state === 'missing')
  const panel = (
    <VariablesPanel
      rows={variables}
      hasSeveral={variants.length > 1}
      onChange={(name, text) => controller.setValue(name, text)}
      onRemove={(name) => controller.removeValue(name)}
      onTake={onTake}
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
