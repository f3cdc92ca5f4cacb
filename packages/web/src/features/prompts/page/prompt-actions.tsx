import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { Code, GitFork, Play } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { describeFailure } from '#lib/errors.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { Dialog, FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'
import { toast } from '#ui/toast.tsx'
import { LikeButton, promptLink } from '../document/prompt-parts.tsx'
import { type PromptKey, shortHash, toPromptName } from '../prompt-key.ts'
import { getDocument, promptMutation, promptQuery } from '../queries.ts'
import { pullSnippets, runMetadataSnippets } from '../snippets.ts'

interface PromptActionsProps {
  tenant: string
  prompt: PromptKey
  repo: Prompt
  reference: string
}

/** At the right of the header of a prompt. */
export function PromptActions({ tenant, prompt, repo, reference }: PromptActionsProps) {
  const mayWrite = useMay('member')
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'code' | 'fork'>()
  const close = () => setOpened(undefined)
  const play = () => void navigate(toPlayground(tenant, prompt, reference))
  useShortcuts('Global', mayWrite ? [{ keys: 'shift+p', label: 'Open in the playground', run: play }] : [])
  return (
    <>
      <LikeButton prompt={repo} />
      {mayWrite && repo.num_commits > 0 ? (
        <Link {...toPlayground(tenant, prompt, reference)} className={buttonLook()} aria-label="Open in playground">
          <Play size={13} aria-hidden />
          <span className="max-sm:sr-only">Playground</span>
        </Link>
      ) : (
        <Button disabled title={mayWrite ? 'There is no commit to open.' : READ_ONLY} aria-label="Open in playground">
          <Play size={13} aria-hidden />
          <span className="max-sm:sr-only">Playground</span>
        </Button>
      )}
      <Button onClick={() => setOpened('code')} aria-label="Use in code">
        <Code size={13} aria-hidden />
        <span className="max-sm:sr-only">Use in code</span>
      </Button>
      <Button
        disabled={!mayWrite || repo.num_commits === 0}
        title={!mayWrite ? READ_ONLY : repo.num_commits === 0 ? 'There is no commit to copy.' : undefined}
        onClick={() => setOpened('fork')}
        className="max-sm:hidden"
      >
        <GitFork size={13} aria-hidden />
        Fork
      </Button>
      {opened === 'code' && <CodeDialog prompt={prompt} reference={reference} onClose={close} />}
      {opened === 'fork' && <ForkDialog tenant={tenant} prompt={prompt} repo={repo} onClose={close} />}
    </>
  )
}

function toPlayground(tenant: string, { owner, repo }: PromptKey, reference: string) {
  const search = { prompt: [owner, repo, reference].join('/') }
  return { to: '/o/$tenant/playground', params: { tenant }, search } as const
}

interface CodeDialogProps {
  prompt: PromptKey
  reference: string
  onClose: () => void
}

/** Programs that pull the prompt by name, tag or commit. */
function CodeDialog({ prompt, reference, onClose }: CodeDialogProps) {
  const found = useQuery(promptQuery.commit(prompt, reference)).data
  const tags = useQuery(promptQuery.commitTags(prompt)).data ?? []
  const commit = found?.kind === 'found' ? found.commit : undefined
  const [version, setVersion] = useState<string>()
  const hash = commit && shortHash(commit.summary.commit_hash)
  const model = commit && getDocument(commit)?.model
  const [hasModel, setHasModel] = useState<boolean>()
  const options = [
    { value: 'latest', label: 'The newest commit' },
    ...tags.map(({ tag_name }) => ({ value: tag_name, label: `Tag ${tag_name}` })),
    ...(hash === undefined ? [] : [{ value: hash, label: `Commit ${hash}` }]),
  ]
  const chosen = version ?? (reference !== 'latest' && hash !== undefined ? hash : 'latest')
  const withModel = hasModel ?? model !== undefined
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Use ${toPromptName(prompt)} in code`}
      description="A tag or the newest commit can change without a release of the program; a commit never changes."
      width="max-w-2xl"
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <Select aria-label="Version" size="toolbar" value={chosen} onChange={setVersion} options={options} />
          {model !== undefined && (
            <label className="flex items-center gap-1.5 text-row text-fg-muted">
              <input type="checkbox" checked={withModel} onChange={(event) => setHasModel(event.target.checked)} />
              With the settings of the model
            </label>
          )}
        </div>
        <SnippetTabs
          snippets={pullSnippets({ origin: location.origin, ...prompt, commit: chosen, hasModel: withModel })}
        />
        <h3 className="text-row font-medium">List runs with the commit</h3>
        <p className="text-row text-fg-muted">
          Runs that name the commit in their metadata count as its usage. LangChain adds the metadata to pulled prompts
          itself.
        </p>
        <SnippetTabs label="Language of the metadata" snippets={runMetadataSnippets({ ...prompt, commit: chosen })} />
      </div>
    </Dialog>
  )
}

interface ForkDialogProps {
  tenant: string
  prompt: PromptKey
  repo: Prompt
  onClose: () => void
}

function ForkDialog({ tenant, prompt, repo, onClose }: ForkDialogProps) {
  const navigate = useNavigate()
  const [name, setName] = useState(repo.is_foreign ? repo.repo_handle : `${repo.repo_handle}-copy`)
  const fork = useMutation(promptMutation.fork(useQueryClient(), prompt))
  const isTaken = describeFailure(fork.error).status === 409
  const problem = promptNameProblem(name)
  return (
    <FormDialog
      title={`Fork ${toPromptName(prompt)}`}
      description="Copies the newest commit into a new private prompt of this workspace."
      action="Fork"
      errorTitle="Could not fork the prompt"
      canSubmit={name !== '' && problem === undefined}
      isPending={fork.isPending}
      error={isTaken ? undefined : fork.error}
      onSubmit={() =>
        fork.mutate(
          { name },
          {
            onSuccess: () => {
              onClose()
              toast.done(`Forked as ${name}`)
              void navigate(promptLink(tenant, { owner: '-', repo: name }))
            },
          },
        )
      }
      onClose={onClose}
    >
      <TextField
        label="Name of the copy"
        isCode
        autoComplete="off"
        maxLength={200}
        value={name}
        error={problem ?? (isTaken ? 'The workspace has a prompt, agent or skill with this name.' : undefined)}
        onChange={(next) => {
          setName(next)
          fork.reset()
        }}
      />
    </FormDialog>
  )
}

/** Names of prompts in the words of the server. */
function promptNameProblem(name: string): string | undefined {
  if (name === '' || /^[a-z][a-z0-9-_]*$/.test(name)) return undefined
  return 'Begin with a small letter, and use small letters, digits, “-” and “_”.'
}
