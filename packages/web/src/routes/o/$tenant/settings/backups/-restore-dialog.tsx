import type { Backup } from '@touchstone/sdk'
import { formatAbsoluteTime } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Snippet } from '#ui/snippet.tsx'

/** A restore makes a new data directory, which no running server can do for itself: the commands to copy. */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const path = quote(backup.path)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="max-w-2xl"
      title={`Restore the backup of ${formatAbsoluteTime(backup.started_at).slice(0, -4)}`}
      description="A backup is restored into a new data directory, on the machine where the server runs. This server goes on until you stop it."
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ol className="flex flex-col gap-3">
        <li>
          <Snippet label="1. Verify the backup" text={`touchstone backup verify \\\n  ${path}`} />
        </li>
        <li>
          <Snippet
            label="2. Restore it into a new directory"
            text={`touchstone backup restore \\\n  ${path} \\\n  --data-dir ~/touchstone-restored`}
          />
        </li>
        <li>
          <Snippet
            label="3. Stop this server, start it on that one"
            text="npm start -- --data-dir ~/touchstone-restored"
          />
        </li>
      </ol>
      <p className="mt-3 text-row text-fg-muted">
        Everything that the server had acknowledged by {formatAbsoluteTime(backup.point_in_time).slice(0, -4)} comes
        back, in all workspaces. What was recorded later is only in the old directory: keep it until you have looked
        around.
      </p>
    </Dialog>
  )
}

/** As a shell takes it. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
