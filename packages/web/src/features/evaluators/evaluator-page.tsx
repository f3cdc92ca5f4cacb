import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { SavedEvaluator, SavedEvaluatorVersion } from '@touchstone/sdk'
import { Ellipsis, FileQuestion, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { changesOf } from '#lib/changes.ts'
import { describeFailure, isOvertaken } from '#lib/errors.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { buttonLook, IconButton } from '#ui/button.tsx'
import { DeleteDialog } from '#ui/delete-dialog.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import { AgreementTab } from './agreement-tab.tsx'
import { DefinitionTab } from './definition-tab.tsx'
import { KIND_LABELS } from './draft.ts'
import { NameFields } from './editor/name-fields.tsx'
import { evaluatorMutation, evaluatorQuery, readEvaluator } from './queries.ts'
import type { EvaluatorTab } from './search.ts'
import { VersionsTab } from './versions-tab.tsx'

interface EvaluatorPageProps {
  tenant: string
  id: string
  tab: EvaluatorTab
}

const LABELS: Readonly<Record<EvaluatorTab, string>> = {
  definition: 'Definition',
  agreement: 'Agreement with people',
  versions: 'Versions',
}

/** One evaluator: its newest definition, how well it agrees with people, and its versions. */
export function EvaluatorPage(props: EvaluatorPageProps) {
  return UUID.test(props.id) ? <KnownEvaluator {...props} /> : <NotFound tenant={props.tenant} />
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function KnownEvaluator({ tenant, id, tab }: EvaluatorPageProps) {
  const evaluator = useQuery(evaluatorQuery.one(id))
  const versions = useQuery(evaluatorQuery.versions(id))
  const error = evaluator.error ?? versions.error
  if (describeFailure(error).status === 404) return <NotFound tenant={tenant} />
  const to = '/o/$tenant/evaluators/$evaluatorId' as const
  const tabs = (Object.keys(LABELS) as EvaluatorTab[]).map((one) => ({
    id: one,
    label: LABELS[one],
    link: { to, params: { tenant, evaluatorId: id }, search: { tab: one } },
  }))
  const { data } = evaluator
  return (
    <PageFrame
      title={data?.name ?? 'Evaluator'}
      tabs={<PageTabs label="Evaluator" current={tab} tabs={tabs} />}
      actions={data && <Actions tenant={tenant} evaluator={data} />}
      status={
        data && (
          <>
            {/* The header of a phone does not show it. */}
            <span className="max-w-40 truncate sm:hidden">{data.name}</span>
            <span>{KIND_LABELS[data.kind]}</span>
            <span>Version {data.version}</span>
            {data.created_by && <span className="truncate">By {data.created_by.slice(0, 60)}</span>}
          </>
        )
      }
    >
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {error !== null ? (
          <ErrorState
            title="Could not load the evaluator"
            error={error}
            onRetry={() => void Promise.all([evaluator.refetch(), versions.refetch()])}
          />
        ) : data === undefined || versions.data === undefined ? (
          <SkeletonRows label="Loading the evaluator" />
        ) : (
          <Tab tenant={tenant} tab={tab} evaluator={data} versions={versions.data} />
        )}
      </div>
    </PageFrame>
  )
}

interface TabProps {
  tenant: string
  tab: EvaluatorTab
  evaluator: SavedEvaluator
  versions: readonly SavedEvaluatorVersion[]
}

function Tab({ tenant, tab, evaluator, versions }: TabProps) {
  const [newest] = versions
  if (tab === 'versions') return <VersionsTab versions={versions} />
  if (newest === undefined) return <EmptyState title="This evaluator has no version" />
  if (tab === 'agreement') return <AgreementTab tenant={tenant} evaluator={evaluator} />
  return <DefinitionTab key={evaluator.id} tenant={tenant} evaluator={evaluator} newest={newest} />
}

function NotFound({ tenant }: { tenant: string }) {
  return (
    <PageFrame title="Not found">
      <div className="flex-1">
        <EmptyState
          icon={FileQuestion}
          title="This evaluator was not found"
          actions={
            <Link to="/o/$tenant/evaluators" params={{ tenant }} className={buttonLook('primary')}>
              Show evaluators
            </Link>
          }
        >
          It may have been deleted, or belong to another workspace.
        </EmptyState>
      </div>
    </PageFrame>
  )
}

function Actions({ tenant, evaluator }: { tenant: string; evaluator: SavedEvaluator }) {
  const navigate = useNavigate()
  const mayWrite = useMay('member')
  const queryClient = useQueryClient()
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const remove = useMutation(evaluatorMutation.delete(queryClient, evaluator.id))
  const close = () => setDialog(undefined)
  if (!mayWrite) return null
  return (
    <>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${evaluator.name}`} />}>
        <MenuItem icon={<Pencil size={13} aria-hidden />} onSelect={() => setDialog('rename')}>
          Change name and description…
        </MenuItem>
        <MenuItem icon={<Trash2 size={13} aria-hidden />} danger onSelect={() => setDialog('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {dialog === 'rename' && <RenameDialog evaluator={evaluator} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteDialog
          name={evaluator.name}
          noun="evaluator"
          isPending={remove.isPending}
          remove={(callbacks) => remove.mutate(undefined, callbacks)}
          onClose={close}
          onDeleted={() => void navigate({ to: '/o/$tenant/evaluators', params: { tenant }, ignoreBlocker: true })}
        >
          Its versions are deleted with it. Scores that it gave stay.
        </DeleteDialog>
      )}
    </>
  )
}

function RenameDialog({ evaluator, onClose }: { evaluator: SavedEvaluator; onClose: () => void }) {
  const update = useMutation(evaluatorMutation.update(useQueryClient(), evaluator.id))
  const edit = useEdit({
    what: 'this evaluator',
    labels: { name: 'Name', description: 'Description' },
    stored: evaluator,
    toDraft: ({ name, description }) => ({ name, description }),
    start: { name: '', description: '' },
    read: () => readEvaluator(evaluator.id),
    save: async (draft, base = evaluator) => {
      const next = { name: draft.name.trim(), description: draft.description.trim() }
      const stored = { name: base.name, description: base.description }
      const { changes, expected } = changesOf(next, stored, stored)
      await update.mutateAsync({ ...changes, expected })
      onClose()
      toast.done('Saved the evaluator')
    },
  })
  const { name, description } = edit.value
  const isTaken = describeFailure(edit.error).status === 409 && !isOvertaken(edit.error)
  return (
    <FormDialog
      title="Name and description"
      action="Save"
      errorTitle="Could not save the evaluator"
      canSubmit={name.trim() !== '' && !edit.isOvertaken}
      isPending={edit.isPending}
      error={isTaken ? undefined : edit.error}
      onSubmit={() => void edit.submit()}
      onClose={onClose}
    >
      {edit.conflict}
      <NameFields
        name={name}
        description={description}
        isTaken={isTaken}
        onName={(next) => edit.set({ name: next })}
        onDescription={(next) => edit.set({ description: next })}
      />
    </FormDialog>
  )
}
