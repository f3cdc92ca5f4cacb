import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatAbsoluteTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { findTaggedVersion, refreshVersions, versionMutation, versionQuery } from './queries.ts'
import { describeChanges } from './version-timeline.ts'

interface VersionDialogProps {
  datasetId: string
  /** A version or a tag. */
  asOf: string
  onClose: () => void
}

/** Names a version. Asks before a tag moves from another version. */
export function TagDialog({ datasetId, asOf, onClose }: VersionDialogProps) {
  const queryClient = useQueryClient()
  const [tag, setTag] = useState('')
  const [movesFrom, setMovesFrom] = useState<string>()
  const write = useMutation(versionMutation.tag(datasetId))
  const save = useMutation({
    mutationFn: async (name: string) => {
      const other = await findTaggedVersion(datasetId, name)
      if (other !== undefined && other !== asOf && movesFrom === undefined) return other
      await write.mutateAsync({ asOf, tag: name })
      return undefined
    },
    onSuccess: (other, name) => {
      setMovesFrom(other)
      if (other !== undefined) return
      const undo = movesFrom && {
        label: 'Undo',
        run: () =>
          void write.mutateAsync({ asOf: movesFrom, tag: name }).then(
            () => refreshVersions(queryClient),
            (cause: unknown) => toast.failure(`Could not move ${name} back`, cause),
          ),
      }
      toast.done(movesFrom ? `Moved ${name}` : `Tagged as ${name}`, undo || undefined)
      void refreshVersions(queryClient)
      onClose()
    },
  })
  const name = tag.trim()
  return (
    <FormDialog
      title="Tag version"
      description={`Version of ${formatAbsoluteTime(asOf)}`}
      action={movesFrom === undefined ? 'Tag' : 'Move tag'}
      canSubmit={name !== '' && name !== 'latest'}
      isPending={save.isPending}
      error={save.error}
      errorTitle="Could not tag the version"
      onSubmit={() => save.mutate(name)}
      onClose={onClose}
    >
      <TextField
        label="Tag"
        value={tag}
        isCode
        autoComplete="off"
        onChange={(next) => {
          setTag(next)
          setMovesFrom(undefined)
        }}
        hint="Programs can read the dataset by this tag, for example prod."
        error={name === 'latest' ? 'The tag latest always names the newest version.' : undefined}
      />
      {movesFrom !== undefined && (
        <p role="alert" className="text-base">
          <strong className="break-all font-semibold">{name}</strong> is on the version of{' '}
          {formatAbsoluteTime(movesFrom)} now. Programs that read {name} will get other examples.
        </p>
      )}
    </FormDialog>
  )
}

/** Makes a new version with the examples of an older one. */
export function RestoreDialog({ datasetId, asOf, onClose }: VersionDialogProps) {
  const queryClient = useQueryClient()
  const diff = useQuery(versionQuery.diff(datasetId, 'latest', asOf))
  const undo = useMutation({
    ...versionMutation.restore(datasetId),
    onSuccess: () => {
      toast.done('The restore was undone')
      void refreshVersions(queryClient)
    },
    onError: (cause) => toast.failure('Could not undo the restore', cause),
  })
  const restore = useMutation({
    ...versionMutation.restore(datasetId),
    onSuccess: ({ before, ...restored }) => {
      const isChanged = restored.added + restored.modified + restored.removed > 0
      if (!isChanged) toast.done('Nothing to restore: the examples are the same')
      else {
        const run = () => void undo.mutate(before)
        toast.done(`Restored: ${describeChanges(restored)}`, { label: 'Undo', run })
      }
      void refreshVersions(queryClient)
      onClose()
    },
  })
  const {
    examples_added: added = [],
    examples_modified: modified = [],
    examples_removed: removed = [],
  } = diff.data ?? {}
  const counts = { added: added.length, modified: modified.length, removed: removed.length }
  const isTime = /^\d{4}-\d\d-/.test(asOf)
  return (
    <FormDialog
      title="Restore these examples?"
      description={`Version ${isTime ? `of ${formatAbsoluteTime(asOf)}` : asOf}`}
      action="Restore"
      canSubmit={diff.isSuccess}
      isPending={restore.isPending}
      error={restore.error ?? diff.error}
      errorTitle={restore.error ? 'Could not restore the examples' : 'Could not compare the versions'}
      onSubmit={() => restore.mutate(asOf)}
      onClose={onClose}
    >
      <p className="text-base">
        {diff.isSuccess
          ? `The dataset gets one new version: ${describeChanges(counts)}.`
          : 'Comparing with the latest version…'}
      </p>
      <p className="text-row text-fg-muted">All versions up to now stay, so this can be undone the same way.</p>
    </FormDialog>
  )
}

/** The button that restores the version that is shown. */
export function RestoreVersion({ datasetId, asOf }: { datasetId: string; asOf: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Restore these examples</Button>
      {isOpen && <RestoreDialog datasetId={datasetId} asOf={asOf} onClose={() => setOpen(false)} />}
    </>
  )
}
