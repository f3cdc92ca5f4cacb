import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Backup, BackupList } from '@touchstone/sdk'
import { DatabaseBackup, Lock } from 'lucide-react'
import { useState } from 'react'
import { meQuery } from '#features/accounts/me.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { BackupTable, NoBackups, RestoreDialog } from './backup-table.tsx'
import { backupMutation, backupQuery } from './queries.ts'

/** Backups of the whole server. */
export function BackupsPage() {
  const me = useQuery(meQuery.current())
  const mayBackUp = me.data?.is_server_admin === true
  const list = useQuery({ ...backupQuery.list(), enabled: mayBackUp })
  const [restoring, setRestoring] = useState<Backup>()
  return (
    <PageFrame
      title="Backups"
      actions={
        list.data && list.data.unavailable === null && list.data.backups.length > 0 && <CreateButton list={list.data} />
      }
      status={mayBackUp && list.data?.directory && <span className="truncate">{list.data.directory}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {me.data?.is_server_admin === false && <Forbidden />}
        {(me.isPending || (mayBackUp && list.isPending)) && <SkeletonRows rows={6} label="Loading backups" />}
        {list.isError && (
          <ErrorState
            title="Could not load backups"
            error={list.error}
            onRetry={() => void list.refetch()}
            compact={list.data !== undefined}
          />
        )}
        {list.data && list.data.unavailable_reason !== null && <NoBackups />}
        {list.data && <Found list={list.data} onRestore={setRestoring} />}
      </div>
      {restoring && <RestoreDialog backup={restoring} onClose={() => setRestoring(undefined)} />}
    </PageFrame>
  )
}

function CreateButton({ list }: { list: BackupList }) {
  const create = useMutation({
    ...backupMutation.create(useQueryClient()),
    onError: (error) => toast.failure('Could not start the backup', error),
  })
  const isRunning = create.isPending || list.backups.some(({ status }) => status === 'running')
  return (
    <Button
      look="primary"
      disabled={isRunning}
      title={isRunning ? 'A backup is in progress.' : undefined}
      onClick={() => create.mutate()}
    >
      <DatabaseBackup size={13} aria-hidden />
      Create backup
    </Button>
  )
}

function Found({ list, onRestore }: { list: BackupList; onRestore: (backup: Backup) => void }) {
  if (list.backups.length > 0) return <BackupTable backups={list.backups} onRestore={onRestore} />
  if (list.unavailable !== null) return null
  return (
    <EmptyState icon={DatabaseBackup} title="No backups yet" actions={<CreateButton list={list} />}>
      A backup contains all data of all workspaces: runs, attachments, datasets, prompts, accounts and keys. The server
      stays available; writes pause for a moment.
    </EmptyState>
  )
}

function Forbidden() {
  return (
    <EmptyState icon={Lock} title="Only server administrators can manage backups">
      Backups contain the data of all workspaces, so an admin role in this workspace is not enough. A server
      administrator can add you with{' '}
      <code className="whitespace-nowrap font-mono text-row">touchstone server-admins add</code> and your email address.
    </EmptyState>
  )
}
