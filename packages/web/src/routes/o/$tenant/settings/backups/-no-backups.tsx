import type { BackupList } from '@touchstone/sdk'
import { DatabaseBackup } from 'lucide-react'
import { EmptyState } from '#ui/empty-state.tsx'
import { Snippet } from '#ui/snippet.tsx'

/** Why this server cannot make backups, and what to do instead. */
export function NoBackups({ list }: { list: BackupList }) {
  if (list.unavailable_reason !== 'no_directory') {
    return (
      <EmptyState icon={DatabaseBackup} title="The stores of this server are backed up elsewhere">
        {list.unavailable}
      </EmptyState>
    )
  }
  return (
    <section aria-labelledby="no-directory" className="mx-auto flex max-w-2xl flex-col gap-3 px-3 py-10 sm:px-6">
      <header className="flex flex-col items-center gap-2 text-center">
        <DatabaseBackup size={24} strokeWidth={1.5} className="text-fg-subtle" aria-hidden />
        <h2 id="no-directory" className="text-heading">
          No backup directory is set
        </h2>
        <p className="max-w-md text-base text-fg-muted">
          Start the server with a folder outside its data directory, best on another disk. Then backups are made here or
          by the command line.
        </p>
      </header>
      <Snippet label="With a flag" text="npm start -- --backup-dir /mnt/backups" />
      <Snippet label="Or with a variable, in a container too" text="TOUCHSTONE_BACKUP_DIR=/mnt/backups" />
    </section>
  )
}
