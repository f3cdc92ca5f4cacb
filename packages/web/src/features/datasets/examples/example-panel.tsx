import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { formatAbsoluteTime, formatBytes } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ExampleEditor } from './example-editor.tsx'
import { ExampleHistory } from './example-history.tsx'
import { ExampleRuns } from './example-runs.tsx'
import { startDraft } from './logic/example-draft.ts'
import type { StoredExample } from './logic/stored-example.ts'
import { deleteExamples, exampleQuery } from './queries.ts'
import type { Schemas } from './use-example-editor.ts'

export interface ExamplePanelProps {
  tenant: string
  datasetId: string
  exampleId: string
  /** An old version, which is read-only. */
  asOf: string | undefined
  schemas: Schemas
  readOnly: boolean
  /** Called when the example is deleted here. */
  onDeleted: () => void
}

const TABS = [
  { value: 'content', label: 'Example' },
  { value: 'history', label: 'History' },
  { value: 'runs', label: 'Runs' },
] as const
type PanelTab = (typeof TABS)[number]['value']

/** One example: its content in an editor, its versions, and the runs of experiments on it. */
export function ExamplePanel(props: ExamplePanelProps) {
  const { tenant, datasetId, exampleId, asOf, readOnly } = props
  const example = useQuery(exampleQuery.one(datasetId, exampleId, asOf))
  const [tab, setTab] = useState<PanelTab>('content')
  if (example.error && example.data === undefined) {
    return describeFailure(example.error).status === 404 ? (
      <EmptyState title="This version does not have the example">It was deleted, or it was added later.</EmptyState>
    ) : (
      <ErrorState title="Could not load the example" error={example.error} onRetry={() => void example.refetch()} />
    )
  }
  const stored = example.data
  if (stored === undefined) return <SkeletonRows rows={8} label="Loading the example" />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Header {...props} stored={stored} tab={tab} onTab={setTab} />
      {tab === 'content' && <Content {...props} key={exampleId} stored={stored} />}
      {tab === 'history' && (
        <ExampleHistory datasetId={datasetId} exampleId={exampleId} current={readOnly ? undefined : stored} />
      )}
      {tab === 'runs' && <ExampleRuns tenant={tenant} datasetId={datasetId} exampleId={exampleId} />}
    </div>
  )
}

interface HeaderProps extends ExamplePanelProps {
  stored: StoredExample
  tab: PanelTab
  onTab: (tab: PanelTab) => void
}

function Header({ datasetId, exampleId, readOnly, onDeleted, stored, tab, onTab }: HeaderProps) {
  const queryClient = useQueryClient()
  function remove() {
    const onFailure = (cause: unknown) => {
      takeBack()
      toast.failure('Could not delete the example', cause)
    }
    const undo = deleteExamples(queryClient, datasetId, [exampleId], onFailure)
    const takeBack = toast.done('Example deleted', { label: 'Undo', run: undo })
    onDeleted()
  }
  return (
    <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border px-3 py-1 text-row">
      <Segmented label="Show" value={tab} onChange={onTab} options={TABS} />
      <span className="min-w-0 truncate text-fg-muted max-sm:hidden">
        Changed {formatAbsoluteTime(stored.modifiedAt)}
      </span>
      {stored.sourceRunId !== null && (
        <Link to="/go/$id" params={{ id: stored.sourceRunId }} className="text-accent hover:underline">
          Source run
        </Link>
      )}
      <span className="ml-auto flex items-center">
        <CopyButton text={exampleId} label="Copy id" look="quiet" iconOnly />
        {!readOnly && <IconButton icon={Trash2} label="Delete the example" onClick={remove} />}
      </span>
    </header>
  )
}

/** More text than this makes an editor slow. */
const MAX_EDITED_CHARACTERS = 2_000_000

function Content({ datasetId, schemas, readOnly, stored }: ExamplePanelProps & { stored: StoredExample }) {
  const saved = useMemo(() => startDraft(stored), [stored])
  const [isForced, setForced] = useState(false)
  const characters = stored.inputs.length + stored.outputs.length + stored.metadata.length
  if (characters > MAX_EDITED_CHARACTERS && !isForced) {
    return (
      <EmptyState
        title={`This example is large (${formatBytes(characters)})`}
        actions={<Button onClick={() => setForced(true)}>Open in the editor</Button>}
      >
        The editor may be slow.
      </EmptyState>
    )
  }
  return <ExampleEditor datasetId={datasetId} stored={stored} saved={saved} schemas={schemas} readOnly={readOnly} />
}
