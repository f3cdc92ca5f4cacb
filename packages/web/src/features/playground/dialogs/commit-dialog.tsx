import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { readManifest } from '@touchstone/contract/prompt-manifest'
import { TAG_NAME_RULE } from '@touchstone/contract/prompt-tags'
import type { ModelProvider } from '@touchstone/sdk'
import { useState } from 'react'
import { listDiffSections } from '#features/prompts/diff.ts'
import { PromptSections } from '#features/prompts/document/prompt-diff.tsx'
import { type PromptKey, shortHash, toPromptName } from '#features/prompts/prompt-key.ts'
import { getDocument, promptQuery } from '#features/prompts/queries.ts'
import { tagNameProblem } from '#features/prompts/tags.ts'
import { describeFailure } from '#lib/errors.ts'
import { Button } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FormDialog } from '#ui/dialog.tsx'
import { FormField, TextField } from '#ui/field.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { manifestFromVariant } from '../logic/to-manifest.ts'
import { type PromptSource, readVariant, type Variant } from '../logic/variant.ts'
import { commitMutation } from '../queries.ts'

interface CommitDialogProps {
  variant: Variant
  provider: ModelProvider | undefined
  onCommitted: (prompt: PromptSource) => void
  onClose: () => void
}

/** Saves a variant as a commit of a prompt, after showing what changes against the newest commit. */
export function CommitDialog({ variant, provider, onCommitted, onClose }: CommitDialogProps) {
  const source = variant.prompt
  const [fields, setFields] = useState<Fields>(() => ({
    repo: source?.owner === '-' ? source.repo : '',
    message: '',
    tag: '',
    hasModel: true,
  }))
  const { repo, message, tag, hasModel } = fields
  const name = repo.trim()
  const target: PromptKey = { owner: '-', repo: name }
  const isNamed = name !== '' && findNameProblem(name) === undefined
  const names = useQuery({ ...promptQuery.search(useSettledText(name)), placeholderData: keepPreviousData })
  const found = useQuery({ ...promptQuery.search(name), enabled: isNamed })
  const isExisting = found.data?.some(({ repo_handle }) => repo_handle === name) === true
  const isNew = found.data !== undefined && !isExisting
  const parent = useQuery({ ...promptQuery.commit(target, 'latest'), enabled: isNamed && isExisting })
  // What the editor does not show comes from the commit that was opened.
  const opened = useQuery({
    ...promptQuery.commit(source ?? target, source?.commit ?? ''),
    enabled: source !== undefined,
  })
  const commit = useMutation(commitMutation.create(useQueryClient()))
  const original = opened.data?.kind === 'found' ? opened.data.commit.manifest : undefined
  const [isFresh, setFresh] = useState(false)
  const isLost = opened.data === undefined ? describeFailure(opened.error).status === 404 : opened.data.kind !== 'found'
  const problems = listProblems(variant)
  const isReady = problems.length === 0 && (source === undefined || original !== undefined || (isLost && isFresh))
  const written = isReady ? manifestFromVariant(variant, original, { kind: provider?.kind, hasModel }) : undefined
  const newest = parent.data?.kind === 'found' ? parent.data.commit : undefined
  const isOvertaken = newest !== undefined && source?.repo === name && newest.summary.commit_hash !== source.commit
  const isShown = isNew || parent.data !== undefined
  const tagProblem = tagNameProblem(tag.trim())
  function submit() {
    if (written === undefined) return
    const parentHash = newest?.summary.commit_hash
    commit.mutate(
      { repo: name, isNew, manifest: written.manifest, parent: parentHash, message: message.trim(), tag: tag.trim() },
      {
        onSuccess: ({ hash, tagError }) => {
          if (tagError === undefined) toast.done(`Committed ${shortHash(hash)} to ${name}`)
          else toast.failure(`Committed ${shortHash(hash)}, but the tag ${tag.trim()} was not moved`, tagError)
          onCommitted({ owner: '-', repo: name, commit: hash })
          onClose()
        },
      },
    )
  }
  return (
    <FormDialog
      title={`Commit variant ${variant.name}`}
      width="max-w-3xl"
      action={
        isNew && isNamed
          ? 'Create prompt'
          : isOvertaken
            ? `Commit on top of ${shortHash(newest.summary.commit_hash)}`
            : 'Commit'
      }
      errorTitle="Could not commit"
      canSubmit={isNamed && isShown && tagProblem === undefined && written !== undefined}
      isPending={commit.isPending}
      error={commit.error ?? found.error ?? parent.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <CommitFields
        fields={fields}
        names={(names.data ?? []).map(({ repo_handle }) => repo_handle)}
        isNew={isNew && isNamed}
        onChange={(change) => {
          setFields({ ...fields, ...change })
          if (change.repo !== undefined) commit.reset()
        }}
      />
      {problems.map((problem) => (
        <p key={problem} role="alert" className="text-row text-err">
          {problem} Correct it before you commit.
        </p>
      ))}
      {source !== undefined && (
        <OpenedProblem
          source={source}
          error={isLost ? null : opened.error}
          isLost={isLost && !isFresh}
          onRetry={() => void opened.refetch()}
          onDrop={() => setFresh(true)}
        />
      )}
      {written?.notes.map(({ where, reason }) => (
        <p key={`${where} ${reason}`} className="text-row text-warn">
          {where}: {reason}
        </p>
      ))}
      {isOvertaken && (
        <p role="status" className="rounded-control bg-sunken px-2 py-1 text-row text-warn">
          The prompt has a newer commit than the one that was opened. The differences below include what it changed.
        </p>
      )}
      {isNamed && !isShown && found.error === null && parent.error === null && (
        <SkeletonRows rows={3} label="Loading the newest commit" />
      )}
      {written && newest && (
        <section aria-label="What changes" className="flex flex-col gap-2">
          <p className="text-row text-fg-muted">
            Against the newest commit, <span className="font-mono">{shortHash(newest.summary.commit_hash)}</span>:
          </p>
          <PromptSections
            sections={listDiffSections(
              { document: getDocument(newest), manifest: newest.manifest },
              { document: readDocument(written.manifest), manifest: written.manifest },
            )}
            sides={[shortHash(newest.summary.commit_hash), 'this commit']}
          />
        </section>
      )}
    </FormDialog>
  )
}

interface OpenedProblemProps {
  source: PromptSource
  error: unknown
  /** Whether there is no such commit. */
  isLost: boolean
  onRetry: () => void
  onDrop: () => void
}

/** Why the commit that the variant was opened from cannot be read, and what helps. */
function OpenedProblem({ source, error, isLost, onRetry, onDrop }: OpenedProblemProps) {
  if (error !== null) {
    return <ErrorState compact title="Could not read the commit that was opened" error={error} onRetry={onRetry} />
  }
  if (!isLost) return null
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-control bg-sunken px-2 py-1 text-row">
      <p className="min-w-0 text-warn [overflow-wrap:anywhere]">
        The commit that was opened, {toPromptName(source)}:{shortHash(source.commit)}, was not found. What it has beside
        messages, model and tools cannot be kept.
      </p>
      <Button onClick={onDrop}>Commit without it</Button>
    </div>
  )
}

interface Fields {
  readonly repo: string
  readonly message: string
  readonly tag: string
  /** Whether model, parameters and tools are saved. */
  readonly hasModel: boolean
}

interface CommitFieldsProps {
  fields: Fields
  /** Prompts of the workspace. */
  names: readonly string[]
  isNew: boolean
  onChange: (change: Partial<Fields>) => void
}

function CommitFields({ fields: { repo, message, tag, hasModel }, names, isNew, onChange }: CommitFieldsProps) {
  const problem = repo.trim() === '' ? undefined : findNameProblem(repo.trim())
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <FormField
          label="Prompt"
          error={problem}
          hint={isNew ? 'A new private prompt of this workspace.' : 'An existing prompt, or a new name.'}
        >
          {(props) => (
            <Combobox
              {...props}
              value={repo}
              maxLength={200}
              suggestions={names}
              onChange={(next) => onChange({ repo: next })}
            />
          )}
        </FormField>
        <TextField
          label="Tag (optional)"
          isCode
          autoComplete="off"
          maxLength={200}
          value={tag}
          error={tagNameProblem(tag.trim())}
          hint={`Programs that pull this tag get the new commit. ${TAG_NAME_RULE}`}
          onChange={(next) => onChange({ tag: next })}
        />
      </div>
      <TextField
        label="Message"
        autoComplete="off"
        maxLength={1000}
        value={message}
        placeholder="What changed"
        onChange={(next) => onChange({ message: next })}
      />
      <label className="flex items-center gap-1.5 text-row text-fg-muted">
        <input type="checkbox" checked={hasModel} onChange={(event) => onChange({ hasModel: event.target.checked })} />
        Save model, parameters and tools with the prompt
      </label>
    </>
  )
}

/** Texts that are no JSON, which no manifest can hold. A prompt needs no model, and may have kept messages only. */
function listProblems(variant: Variant): readonly string[] {
  const read = readVariant(variant)
  if ('sent' in read) return []
  const hasMessages = variant.messages.length > 0
  return read.problems.flatMap(({ field, message }) =>
    field === 'model' || (field === 'messages' && hasMessages) ? [] : [message],
  )
}

function readDocument(manifest: unknown) {
  const read = readManifest(manifest)
  return 'document' in read ? read.document : undefined
}

/** Names of prompts in the words of the server. */
function findNameProblem(name: string): string | undefined {
  return /^[a-z][a-z0-9-_]*$/.test(name)
    ? undefined
    : 'Begin with a small letter, and use small letters, digits, “-” and “_”.'
}
