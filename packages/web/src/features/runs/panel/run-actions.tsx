import { useNavigate, useParams } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import {
  Code,
  Copy,
  Database,
  Ellipsis,
  FileDown,
  GitCompareArrows,
  ListPlus,
  MessageSquarePlus,
  Play,
  Share2,
  Trash2,
} from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { useCompareMark } from '#features/traces/compare/use-compare-mark.ts'
import type { RunDocument } from '#features/traces/queries.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { toast } from '#ui/toast.tsx'
import { useLeaveTrace } from './list-links.tsx'

const ShareDialog = lazyExtra(() => import('./share-dialog.tsx').then((module) => module.ShareDialog))
const AddToDatasetDialog = lazyExtra(() =>
  import('#features/datasets/add-to-dataset/add-to-dataset-dialog.tsx').then((module) => module.AddToDatasetDialog),
)
const AddToQueueDialog = lazyExtra(() =>
  import('#features/annotation-queues/add-to-queue-dialog.tsx').then((module) => module.AddToQueueDialog),
)
const CopyAsDialog = lazyExtra(() => import('./copy-as/copy-as-dialog.tsx').then((module) => module.CopyAsDialog))
const ExportTraceDialog = lazyExtra(() =>
  import('#features/traces/export/export-trace-dialog.tsx').then((module) => module.ExportTraceDialog),
)
const DeleteTraceDialog = lazyExtra(() =>
  import('./delete-trace-dialog.tsx').then((module) => module.DeleteTraceDialog),
)

const NO_MODEL_CALL =
  'Only a call of a model can be opened in the playground. Choose one in the trace: a run of the type llm.'

type DialogKind = 'share' | 'dataset' | 'queue' | 'code' | 'export' | 'delete'

export interface RunActionsProps {
  document: RunDocument
  onAnnotate: () => void
}

/** Actions on a run: annotate, add to a dataset or queue, share, export, delete. */
export function RunActions({ document: { run, json, payload }, onAnnotate }: RunActionsProps) {
  const [layer, setLayer] = useState<DialogKind>()
  const leaveTrace = useLeaveTrace(run)
  const mayWrite = useMay('member')
  const close = () => setLayer(undefined)
  const open = (to: DialogKind) => () => setLayer(to)
  const markForCompare = useCompareMark()
  const mark = () => markForCompare({ id: run.id, name: run.name })
  const navigate = useNavigate()
  const { tenant = '' } = useParams({ strict: false })
  const isModelCall = mayWrite && run.run_type === 'llm'
  const closed = mayWrite ? NO_MODEL_CALL : READ_ONLY
  const play = () => void navigate({ to: '/o/$tenant/playground', params: { tenant }, search: { run: run.id } })
  useShortcuts('Run / trace', [
    ...(isModelCall ? [{ keys: 'shift+p', label: 'Open in the playground', run: play }] : []),
    { keys: 'm', label: 'Mark for compare, then compare', run: mark },
    ...(mayWrite
      ? [
          { keys: 'a', label: 'Annotate', run: onAnnotate },
          { keys: 'shift+d', label: 'Add to dataset', run: open('dataset') },
          { keys: 'shift+q', label: 'Add to annotation queue', run: open('queue') },
        ]
      : []),
  ])
  const layers: Record<DialogKind, () => ReactNode> = {
    share: () => <ShareDialog run={run} onClose={close} />,
    dataset: () => <AddToDatasetDialog run={run} payload={payload} bytes={json.bytes} onClose={close} />,
    queue: () => <AddToQueueDialog what={{ runIds: [run.id] }} onClose={close} />,
    code: () => payload && <CopyAsDialog run={run} payload={payload} onClose={close} />,
    export: () => <ExportTraceDialog run={run} onClose={close} />,
    delete: () => <DeleteTraceDialog run={run} onClose={close} onDeleted={leaveTrace} />,
  }
  return (
    <>
      {isModelCall ? (
        <IconButton icon={Play} label="Open in playground" keys="shift+p" onClick={play} />
      ) : (
        // Not `disabled`: the reason must be shown on focus and on touch screens too.
        <IconButton
          icon={Play}
          label="Open in playground"
          aria-disabled
          title={closed}
          className="opacity-50"
          onClick={() => toast.note(closed)}
        />
      )}
      {mayWrite && (
        <>
          <IconButton icon={MessageSquarePlus} label="Annotate" keys="a" onClick={onAnnotate} />
          <IconButton icon={Database} label="Add to dataset" keys="shift+d" onClick={open('dataset')} />
          <IconButton icon={Share2} label="Share" onClick={open('share')} />
        </>
      )}
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label="More actions" />}>
        {mayWrite && (
          <MenuItem icon={<ListPlus size={14} aria-hidden />} keys="shift+q" onSelect={open('queue')}>
            Add to annotation queue…
          </MenuItem>
        )}
        <MenuItem icon={<GitCompareArrows size={14} aria-hidden />} keys="m" onSelect={mark}>
          Mark for compare
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Code size={14} aria-hidden />} disabled={payload === undefined} onSelect={open('code')}>
          Copy as code…
        </MenuItem>
        <MenuItem icon={<FileDown size={14} aria-hidden />} onSelect={open('export')}>
          Export trace…
        </MenuItem>
        <MenuLine />
        {collectIds(run).map(([label, id]) => (
          <MenuItem key={label} icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(label, id)}>
            Copy {label} ID
          </MenuItem>
        ))}
        {mayWrite && (
          <>
            <MenuLine />
            <MenuItem danger icon={<Trash2 size={14} aria-hidden />} onSelect={open('delete')}>
              Delete trace…
            </MenuItem>
          </>
        )}
      </Menu>
      <Suspense>{layer && layers[layer]()}</Suspense>
    </>
  )
}

function collectIds({ id, trace_id, thread_id }: Run): (readonly [label: string, id: string])[] {
  const all = [
    ['run', id],
    ['trace', trace_id],
    ['thread', thread_id],
  ] as const
  return all.flatMap(([label, value]) => (value ? [[label, value] as const] : []))
}

async function copy(label: string, id: string) {
  if (await copyText(id)) toast.done(`Copied ${label} ID`)
}
