import type { PublicDataset } from '@touchstone/sdk'
import { cloneSnippets } from '#features/datasets/snippets.ts'
import { pluralize } from '#lib/format.ts'
import { buttonLook } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'

export interface CloneDialogProps {
  token: string
  dataset: PublicDataset
  onClose: () => void
}

/** Ways to copy a shared dataset: into a workspace of this server, or with one of the clients. */
export function CloneDialog({ token, dataset, onClose }: CloneDialogProps) {
  const { origin } = location
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Clone ${dataset.name}`}
      description={`Copies ${pluralize(dataset.example_count, 'example')} with metadata, splits and attachments.`}
      width="max-w-2xl"
    >
      <div className="flex flex-col gap-4 text-base">
        <div className="flex flex-wrap items-center gap-3">
          <a href={`/datasets?clone=${token}`} className={buttonLook('primary')}>
            Clone to my workspace
          </a>
          <p className="text-row text-fg-muted">Needs an account on this server.</p>
        </div>
        <section aria-label="Clone with a program" className="flex min-w-0 flex-col gap-2">
          <h3 className="text-form font-semibold">Or with a program</h3>
          <p className="text-row text-fg-muted">
            Set the endpoint and the key of the server that receives the copy. Reading needs no key.
          </p>
          <SnippetTabs snippets={cloneSnippets({ origin, source: { token, origin } })} />
        </section>
      </div>
    </Dialog>
  )
}
