import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BookOpen } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { DraftRestored, LeaveGuard } from '#ui/form-section.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { useDraft } from '#ui/use-draft.tsx'
import { promptMutation } from '../queries.ts'
import type { PromptTabProps } from './prompt-page.tsx'

const Markdown = lazy(() => import('#features/payloads/chat/markdown.tsx'))

/** Characters of a readme. */
const MAX_README = 100_000

/** The readme of a prompt, and its editor with a preview. */
export function ReadmeTab({ prompt, repo }: PromptTabProps) {
  const mayWrite = useMay('member')
  const saved = repo.readme ?? ''
  const [isOpen, setOpen] = useState(false)
  const draft = useDraft({ readme: saved }, `readme ${repo.id}`)
  const save = useMutation(promptMutation.update(useQueryClient(), prompt))
  const { readme } = draft.value
  const isChanged = draft.changed.length > 0
  function start() {
    draft.discard()
    setOpen(true)
    save.reset()
  }
  function discard() {
    draft.discard()
    setOpen(false)
  }
  if (!isOpen && !isChanged) {
    const edit = !repo.is_foreign && (
      <Button disabled={!mayWrite} title={mayWrite ? undefined : READ_ONLY} onClick={start}>
        {saved === '' ? 'Write a readme' : 'Edit readme'}
      </Button>
    )
    if (saved === '') {
      return (
        <div className="flex-1">
          <EmptyState icon={BookOpen} title="No readme" actions={edit}>
            A readme tells others what the prompt is for, what its variables mean, and who takes care of it.
          </EmptyState>
        </div>
      )
    }
    return (
      <div className="min-h-0 flex-1 overflow-y-auto p-3 sm:p-6">
        <article aria-label="Readme" className="max-w-3xl">
          {edit && <div className="flex justify-end pb-2">{edit}</div>}
          <Preview source={saved} />
        </article>
      </div>
    )
  }
  // What is being saved comes back before the draft ends.
  const isOvertaken = !save.isPending && draft.overtaken.length > 0
  function submit(expected: string) {
    if (!isChanged || save.isPending) return
    save.mutate(
      { readme, expected: { readme: expected } },
      {
        onSuccess: () => {
          draft.settle({ readme })
          setOpen(false)
          toast.done('Saved the readme')
        },
      },
    )
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <LeaveGuard isDirty={isChanged} title="The readme" isKept={draft.isRestored !== undefined} />
      {isOvertaken && (
        <div className="max-h-[60%] shrink-0 overflow-y-auto p-3 max-md:max-h-[75%]">
          <EditConflict
            what="this readme"
            fields={[{ label: 'Readme', theirs: saved, mine: readme }]}
            onKeep={() => {
              draft.keep()
              submit(saved)
            }}
            onTake={start}
          />
        </div>
      )}
      {save.isError && !isOvertaken && <ErrorState compact title="Could not save the readme" error={save.error} />}
      <div className="flex items-center gap-2 border-b border-border bg-surface px-3 py-1.5">
        {draft.isRestored && <DraftRestored onDiscard={discard} />}
        <p className="min-w-0 flex-1 truncate text-row text-fg-muted">Markdown, without HTML</p>
        <Button disabled={save.isPending} onClick={discard}>
          {isChanged ? 'Discard' : 'Cancel'}
        </Button>
        <Button
          look="primary"
          disabled={!isChanged || isOvertaken || save.isPending}
          onClick={() => submit(draft.base.readme)}
        >
          {save.isPending ? 'Saving…' : 'Save readme'}
        </Button>
      </div>
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <textarea
          aria-label="Readme"
          // biome-ignore lint/a11y/noAutofocus: the user has asked for the editor
          autoFocus
          dir="auto"
          value={readme}
          maxLength={MAX_README}
          onChange={(event) => draft.set({ readme: event.target.value })}
          onKeyDown={(event) => {
            if (!(event.ctrlKey || event.metaKey) || (event.key !== 's' && event.key !== 'Enter')) return
            event.preventDefault()
            if (!isOvertaken) submit(draft.base.readme)
          }}
          className="min-h-40 min-w-0 flex-1 resize-none bg-surface p-3 font-mono text-row outline-offset-[-2px]"
        />
        <section
          aria-label="Preview"
          className="min-h-0 min-w-0 flex-1 overflow-y-auto border-border p-3 max-md:border-t md:border-l"
        >
          {readme.trim() === '' ? (
            <p className="text-row text-fg-muted">Nothing to preview</p>
          ) : (
            <Preview source={readme} />
          )}
        </section>
      </div>
    </div>
  )
}

function Preview({ source }: { source: string }) {
  return (
    <Suspense fallback={<SkeletonRows rows={4} label="Loading the preview" />}>
      <Markdown source={source} />
    </Suspense>
  )
}
