import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Dataset } from '@touchstone/sdk'
import { ExternalLink, Globe } from 'lucide-react'
import { useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { FIELD } from '#ui/field.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { type DatasetLink, datasetShareMutation, datasetShareQuery } from './queries.ts'

/** Creates, changes and revokes the public link of a dataset, and lists what it makes public. */
export function ShareDatasetDialog({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const links = useQuery(datasetShareQuery.links())
  return (
    <Dialog open onOpenChange={onClose} title={`Share ${dataset.name}`} width="max-w-lg">
      {links.isError && !links.data ? (
        <ErrorState title="Could not load the link" error={links.error} onRetry={() => void links.refetch()} />
      ) : (
        links.data && <ShareControls dataset={dataset} link={links.data.get(dataset.id)} />
      )}
    </Dialog>
  )
}

/** The public link of a dataset with its controls. */
export function ShareControls({ dataset, link }: { dataset: Dataset; link: DatasetLink | undefined }) {
  const queryClient = useQueryClient()
  const share = useMutation(datasetShareMutation.share(queryClient))
  const unshare = useMutation(datasetShareMutation.unshare(queryClient))
  const [typed, setWithExperiments] = useState<boolean>()
  const withExperiments = typed ?? link?.sharesExperiments ?? false
  const isBusy = share.isPending || unshare.isPending
  const error = share.error ?? unshare.error
  const save = (shareProjects: boolean, done: string) =>
    share.mutate(
      { datasetId: dataset.id, shareProjects },
      // After a failure the box shows what is public now.
      { onSuccess: () => toast.done(done), onError: () => link && setWithExperiments(undefined) },
    )
  return (
    <div className="flex flex-col gap-3 text-base">
      {error !== null && <ErrorState compact title="Could not change the link" error={error} />}
      <p>
        {link
          ? 'Anyone with this link can read, without signing in:'
          : 'Anyone with the link will be able to read, without signing in:'}
      </p>
      <ul className="list-disc pl-5 text-fg-muted">
        <li>the name, description and schemas of the dataset</li>
        <li>{pluralize(dataset.example_count, 'example')} in full, with metadata, splits and attachments</li>
        {withExperiments && <li>all its experiments: names, metadata, outputs, traces, scores and comments</li>}
      </ul>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1"
          checked={withExperiments}
          disabled={isBusy}
          onChange={({ target }) => {
            setWithExperiments(target.checked)
            if (link) {
              save(target.checked, target.checked ? 'The experiments are public too' : 'The experiments are private')
            }
          }}
        />
        Include the experiments
      </label>
      <p className="text-fg-muted">
        Examples{withExperiments && ' and experiments'} that are added later become public too. Other datasets, projects
        and members stay private.
      </p>
      {link ? (
        <LinkRow
          token={link.token}
          isBusy={isBusy}
          onRevoke={() =>
            unshare.mutate(dataset.id, {
              onSuccess: () => {
                setWithExperiments(undefined)
                toast.done('Revoked the public link')
              },
            })
          }
        />
      ) : (
        <Button
          look="primary"
          className="self-start"
          disabled={isBusy}
          onClick={() => save(withExperiments, 'Created the public link')}
        >
          <Globe size={14} aria-hidden />
          Create public link
        </Button>
      )}
    </div>
  )
}

function LinkRow({ token, isBusy, onRevoke }: { token: string; isBusy: boolean; onRevoke: () => void }) {
  const href = `${location.origin}/public/${token}/d`
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        aria-label="Public link"
        readOnly
        value={href}
        onFocus={(event) => event.target.select()}
        className={`${FIELD} min-w-48 flex-1 font-mono text-row`}
      />
      <CopyButton text={href} label="Copy link" />
      <a href={href} target="_blank" rel="noopener noreferrer" className={buttonLook()}>
        <ExternalLink size={14} aria-hidden />
        Open
      </a>
      <Button look="danger" disabled={isBusy} onClick={onRevoke}>
        Revoke link
      </Button>
    </div>
  )
}
