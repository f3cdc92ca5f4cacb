import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { TAG_NAME_RULE } from '@touchstone/contract/prompt-tags'
import { useState } from 'react'
import { meQuery } from '#features/accounts/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { isAtLeast } from '#lib/roles.ts'
import { ConfirmDialog, FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { PromptDiff } from '../document/prompt-diff.tsx'
import { type PromptKey, shortHash } from '../prompt-key.ts'
import { promptMutation, promptQuery } from '../queries.ts'
import { tagNameProblem } from '../tags.ts'

interface TagDialogProps {
  prompt: PromptKey
  /** The commit that the tag shall point to. */
  hash: string
  /** The tag to move. @default asks */
  name?: string | undefined
  onClose: () => void
}

const NEW = ' '

/** Creates or moves a tag. A move shows first what programs will get instead. */
export function TagDialog({ prompt, hash, name: given, onClose }: TagDialogProps) {
  const known = useQuery(promptQuery.commitTags(prompt))
  const tags = known.data ?? []
  const [picked, setPicked] = useState(given ?? NEW)
  const [typed, setTyped] = useState('')
  const save = useMutation(promptMutation.tag(useQueryClient(), prompt))
  const name = picked === NEW ? typed.trim() : picked
  const before = tags.find(({ tag_name }) => tag_name === name)
  const problem = picked === NEW ? tagNameProblem(name) : undefined
  const closed = useProtection(name)
  const isThere = before?.commit_hash === hash
  const isMove = before !== undefined && !isThere
  // A tag does not move before the user could see what changes, and without the tags a move looks like a new tag.
  const from = useQuery({ ...promptQuery.commit(prompt, before?.commit_hash ?? hash), enabled: isMove })
  const to = useQuery({ ...promptQuery.commit(prompt, hash), enabled: isMove })
  const isConflict = describeFailure(save.error).status === 409
  const isShown = known.isSuccess && (!isMove || (from.isSuccess && to.isSuccess))
  function submit() {
    save.mutate(
      { name, hash, expectedCommitId: before?.commit_id ?? null },
      {
        onSuccess: ({ commit_id }) => {
          onClose()
          const undo = before && {
            label: 'Undo',
            // The dialog is gone by then, so its mutation calls no callbacks.
            run: () =>
              void save.mutateAsync({ name, hash: before.commit_hash, expectedCommitId: commit_id }).then(
                () => toast.done(`Moved ${name} back to ${shortHash(before.commit_hash)}`),
                (cause: unknown) => toast.failure(`Could not move ${name} back`, cause),
              ),
          }
          toast.done(isMove ? `Moved ${name} to ${shortHash(hash)}` : `Tagged ${shortHash(hash)} as ${name}`, undo)
        },
      },
    )
  }
  return (
    <FormDialog
      title={isMove ? `Move ${name} to ${shortHash(hash)}` : `Tag commit ${shortHash(hash)}`}
      action={isMove ? 'Move tag' : 'Set tag'}
      width={isMove ? 'max-w-3xl' : undefined}
      canSubmit={name !== '' && problem === undefined && closed === undefined && !isThere && isShown}
      isPending={save.isPending}
      error={known.error ?? save.error}
      errorTitle={
        known.isError
          ? 'Could not load the tags'
          : isConflict
            ? 'The tag is as it was. Check its new state below, and confirm again'
            : 'Could not set the tag'
      }
      onSubmit={submit}
      onClose={onClose}
    >
      {tags.length > 0 && (
        <Select
          aria-label="Tag"
          value={picked}
          onChange={(next) => {
            setPicked(next)
            save.reset()
          }}
          options={[
            { value: NEW, label: 'New tag' },
            ...tags.map(({ tag_name, commit_hash }) => ({
              value: tag_name,
              label: `${tag_name} (now ${shortHash(commit_hash)})`,
            })),
          ]}
        />
      )}
      {picked === NEW && (
        <TextField
          label="Name"
          isCode
          autoComplete="off"
          maxLength={200}
          value={typed}
          onChange={(next) => {
            setTyped(next)
            save.reset()
          }}
          hint={`Programs pull the prompt by this name, for example production. ${TAG_NAME_RULE}`}
          error={problem}
        />
      )}
      {closed !== undefined && (
        <p role="alert" className="text-row text-err">
          {closed}
        </p>
      )}
      {isThere && <p className="text-row text-fg-muted">The tag is on this commit already.</p>}
      {isMove && (
        <section aria-label="What changes for programs" className="flex flex-col gap-2">
          <p className="text-row">
            Programs that pull <strong className="break-all font-semibold">{name}</strong> get commit{' '}
            <span className="font-mono">{shortHash(hash)}</span> instead of{' '}
            <span className="font-mono">{shortHash(before.commit_hash)}</span>:
          </p>
          <PromptDiff prompt={prompt} from={before.commit_hash} to={hash} />
        </section>
      )}
    </FormDialog>
  )
}

/** Why the caller may not create or move a tag; undefined when they may. */
function useProtection(name: string): string | undefined {
  const role = useQuery(meQuery.current()).data?.role
  const environments = useQuery(promptQuery.environments()).data?.environments ?? []
  const least = environments.find((one) => one.name === name)?.least_role
  if (least === undefined || role === undefined || isAtLeast(role, least)) return undefined
  return `The tag ${name} is protected: only ${least}s may create or move it.`
}

interface DeleteTagDialogProps {
  prompt: PromptKey
  name: string
  onClose: () => void
}

export function DeleteTagDialog({ prompt, name, onClose }: DeleteTagDialogProps) {
  const remove = useMutation(promptMutation.deleteTag(useQueryClient(), prompt))
  return (
    <ConfirmDialog
      title={`Delete the tag ${name}?`}
      action="Delete tag"
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(name, {
          onSuccess: () => {
            onClose()
            toast.done(`Deleted the tag ${name}`)
          },
          onError: (cause) => toast.failure(`Could not delete the tag ${name}`, cause),
        })
      }
    >
      Programs that pull {prompt.repo}:{name} fail until the tag is set again. The commit and the history of the tag
      stay.
    </ConfirmDialog>
  )
}
