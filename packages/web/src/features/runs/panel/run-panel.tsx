import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { readConversation } from '@touchstone/formats/messages'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { type FileItem, FileList, toFileItem } from '#features/payloads/files/file-list.tsx'
import { JsonView } from '#features/payloads/json/json-view.tsx'
import { ValueActions } from '#features/payloads/json/value-actions.ts'
import { type RunDocument, traceQuery } from '#features/traces/queries.ts'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { createChoicesByKey, isBoolean } from '#lib/preferences.ts'
import { useDelayedFlag, usePreference } from '#ui/hooks.tsx'
import { lazyPart } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { ChatTab } from './chat-tab.tsx'
import { DerivedPayloads } from './derived-payload.tsx'
import { ErrorTab } from './error-tab.tsx'
import { FeedbackTab, PublicFeedback } from './feedback-tab.tsx'
import { DownloadRun, InOut } from './in-out.tsx'
import { useValueActions } from './list-links.tsx'
import { MetadataTab } from './metadata-tab.tsx'
import { RunActions } from './run-actions.tsx'
import { chooseTab, isRunTab, RUN_TABS, type RunTab, toMemoryKey } from './run-document.ts'
import { RunFacts } from './run-facts.tsx'

/** Few open it, so that the panel does without its code. */
const RunRules = lazyPart(() => import('#features/rules/run-rules.tsx').then((module) => module.RunRules))

/** Whether conversations are shown raw, per project. */
const rawChoices = createChoicesByKey('chat-raw-in', isBoolean)

export interface RunPanelProps {
  runId: string
  /** Token of the public link; the panel is read-only then. */
  share?: string | undefined
  /** The open tab if the parent controls it, for example in the URL. */
  tab?: string | undefined
  onTab?: ((tab: RunTab) => void) | undefined
  /** Path of a JSON value to scroll to. */
  path?: string | undefined
  onPath?: ((path: string) => void) | undefined
  /** The run whose facts are in the header of the trace above the panel; they are not repeated. */
  headerRunId?: string | undefined
}

/** Details of one run, in the trace view and beside a list. */
export function RunPanel({ runId, share, tab, onTab, path, onPath, headerRunId }: RunPanelProps) {
  const query = useQuery({ ...traceQuery.run(runId, share), placeholderData: keepPreviousData })
  const isLate = useDelayedFlag(query.isPlaceholderData, 150)

  if (query.data) {
    return (
      <div
        aria-busy={query.isPlaceholderData}
        className={cx('flex h-full min-h-0 flex-col bg-bg', isLate && 'opacity-60')}
      >
        <RunDetails
          key={query.data.run.id}
          document={query.data}
          share={share}
          tab={tab}
          onTab={onTab}
          path={path}
          onPath={onPath}
          headerRunId={headerRunId}
        />
      </div>
    )
  }
  if (query.error)
    return <ErrorState title="Could not load this run" error={query.error} onRetry={() => void query.refetch()} />
  return <SkeletonRows rows={10} label="Loading run" />
}

function withOutputs(run: Run, outputs: unknown): Run {
  const isObject = typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs)
  return isObject ? { ...run, outputs: outputs as NonNullable<Run['outputs']> } : run
}

type RunDetailsProps = Omit<RunPanelProps, 'runId'> & { document: RunDocument }

function RunDetails({ document, share, tab, onTab, path, onPath, headerRunId }: RunDetailsProps) {
  const { run, json, payload } = document
  const [ownTab, setOwnTab] = useState<RunTab>()
  const [allRaw] = usePreference(rawChoices)
  const place = toMemoryKey(document, 'chat') ?? 'shared'
  const isRaw = allRaw[place] ?? false
  const setRaw = (raw: boolean) => rawChoices.choose(place, raw)
  const conversation = useMemo(() => payload && readConversation(payload.inputs, payload.outputs), [payload])
  const wanted = tab ?? ownTab
  const open = isRunTab(wanted) && !(wanted === 'rules' && share !== undefined) ? wanted : chooseTab(run, conversation)
  const setTab = (to: RunTab) => (onTab ? onTab(to) : setOwnTab(to))
  const follow = (to: string) => onPath?.(to)
  const [isAnnotating, setAnnotating] = useState(false)
  // What the provider reported as the cost is in the outputs, which are read apart from the run.
  const runWithOutputs = useMemo(() => withOutputs(run, payload?.outputs), [run, payload])

  const files = getAttachments(run).length
  const feedback = Object.values(run.feedback_stats ?? {}).reduce((sum, { n }) => sum + n, 0)
  const isEmpty = (id: RunTab) =>
    (id === 'files' && files === 0) ||
    (share !== undefined && (id === 'rules' || (id === 'feedback' && feedback === 0)))
  const shown = RUN_TABS.filter((id) => id === open || !isEmpty(id))

  useShortcuts('Run / trace', [
    ...shown.map((id) => ({
      keys: String(RUN_TABS.indexOf(id) + 1),
      label: `${LABELS[id]} tab`,
      run: () => setTab(id),
    })),
    {
      keys: 'r',
      label: 'Toggle raw and formatted',
      run: () => {
        if (open !== 'chat') setTab('chat')
        setRaw(open === 'chat' ? !isRaw : false)
      },
    },
  ])
  function annotate() {
    if (open !== 'feedback') setTab('feedback')
    setAnnotating(true)
  }

  const content: Record<RunTab, () => ReactNode> = {
    chat: () =>
      isRaw ? (
        <InOut document={document} path={path} onPath={follow} onRendered={() => setRaw(false)} />
      ) : (
        <ChatTab document={document} share={share} onRaw={() => setRaw(true)} />
      ),
    io: () => (
      <>
        <DerivedPayloads document={document} share={share} />
        <InOut document={document} path={path} onPath={follow} />
      </>
    ),
    metadata: () => <MetadataTab document={document} isPublic={share !== undefined} path={path} onPath={follow} />,
    feedback: () =>
      share === undefined ? (
        <FeedbackTab runId={run.id} adding={isAnnotating} onAdding={setAnnotating} />
      ) : (
        <PublicFeedback runId={run.id} share={share} />
      ),
    events: () => <ErrorTab document={document} share={share} onInOut={() => setTab('io')} />,
    files: () => <FilesTab run={run} />,
    raw: () => (
      <JsonView
        host={json}
        label="run"
        foldKey={toMemoryKey(document, 'raw')}
        path={path}
        onPath={follow}
        tools={<DownloadRun document={document} />}
      />
    ),
    rules: () => (
      <Suspense fallback={<SkeletonRows rows={3} label="Loading rules" />}>
        <RunRules runId={run.id} />
      </Suspense>
    ),
  }
  const valueActions = useValueActions(run)
  return (
    <ValueActions value={share === undefined ? valueActions : NO_ACTIONS}>
      <RunFacts
        run={runWithOutputs}
        isPublic={share !== undefined}
        isInTraceHeader={run.id === headerRunId}
        actions={share === undefined && <RunActions document={document} onAnnotate={annotate} />}
      />
      <Tabs
        label="Run"
        className="min-h-0 flex-1"
        value={open}
        onChange={setTab}
        tabs={shown.map((id) => ({
          id,
          label: (
            <>
              {LABELS[id]}
              {id === 'events' && run.error && <span className="size-1.5 rounded-full bg-err" aria-hidden />}
              {id === 'feedback' && feedback > 0 && <span className="text-fg-subtle">{formatCount(feedback)}</span>}
              {id === 'files' && files > 0 && <span className="text-fg-subtle">{files}</span>}
            </>
          ),
          content: id === open ? content[id]() : null,
        }))}
      />
    </ValueActions>
  )
}

/** Public pages have no list to link to. */
const NO_ACTIONS = () => []

const LABELS: Record<RunTab, string> = {
  chat: 'Chat',
  io: 'In/Out',
  metadata: 'Metadata',
  feedback: 'Feedback',
  events: 'Events & errors',
  files: 'Files',
  raw: 'Raw',
  rules: 'Rules',
}

/** Attachments of a run. */
function FilesTab({ run }: { run: Run }) {
  const files = getAttachments(run)
  if (files.length === 0) return <EmptyState title="No files">This run has no attachments.</EmptyState>
  return <FileList files={files} className="p-3" />
}

function getAttachments(run: Run): FileItem[] {
  return Object.entries(run.s3_urls ?? {})
    .filter(([name]) => name.startsWith('attachment.'))
    .flatMap(([name, { presigned_url, mime_type }]) => {
      return toFileItem(name.slice('attachment.'.length), presigned_url, mime_type ?? undefined) ?? []
    })
}
