import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FilePlus, FolderOpen, History, List } from 'lucide-react'
import { Suspense, useState } from 'react'
import { formatMinute, formatRelativeTime } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { CONTROL } from '#ui/field.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '#ui/menu.tsx'
import { MAX_REPEATS } from './logic/variant.ts'
import { draftQuery } from './queries.ts'
import type { Autosave } from './use-playground.ts'

const DraftsDialog = lazyExtra(() => import('./dialogs/drafts-dialog.tsx').then((module) => module.DraftsDialog))
const JobsDialog = lazyExtra(() => import('./jobs/jobs-dialog.tsx').then((module) => module.JobsDialog))

interface PlaygroundToolbarProps {
  autosave: Autosave
  /** The draft that is open; undefined before it is saved. */
  draftId: string | undefined
  mayRun: boolean
  repeats: number
  onRepeats: (repeats: number) => void
  /** Shows a run over a dataset. */
  onJob: (id: string) => void
  onNew: () => void
}

/** Drafts in the menu; the dialog has all. */
const MAX_LISTED = 12

/** Name of the draft, other drafts, runs over datasets, and the number of answers. */
export function PlaygroundToolbar(props: PlaygroundToolbarProps) {
  const { autosave, draftId, mayRun, repeats, onRepeats, onJob, onNew } = props
  const drafts = useQuery(draftQuery.list()).data
  const [opened, setOpened] = useState<'drafts' | 'jobs'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <input
        aria-label="Name of the draft"
        value={autosave.name}
        maxLength={200}
        onChange={(event) => autosave.rename(event.target.value)}
        className={`${CONTROL} !h-7 !w-40 min-w-32 shrink !border-transparent !text-row hover:!border-border focus:!border-border-strong sm:!w-56`}
      />
      <Menu trigger={<IconButton icon={FolderOpen} label="Drafts" />}>
        <MenuItem icon={<FilePlus size={13} aria-hidden />} onSelect={onNew}>
          New
        </MenuItem>
        <MenuItem icon={<List size={13} aria-hidden />} onSelect={() => setOpened('drafts')}>
          All drafts…
        </MenuItem>
        {drafts !== undefined && drafts.drafts.length > 0 && (
          <>
            <MenuLine />
            <MenuLabel>
              {drafts.total > MAX_LISTED
                ? `The newest ${MAX_LISTED} of ${drafts.total} drafts`
                : 'Drafts of the workspace'}
            </MenuLabel>
          </>
        )}
        {drafts?.drafts.slice(0, MAX_LISTED).map(({ id, name, updated_at, updated_by_name: by }) => (
          <MenuItem key={id} asChild>
            <Link to="." search={{ draft: id }}>
              <span className="min-w-0 max-w-56 flex-1 truncate">{name}</span>
              <span className="text-meta text-fg-muted">
                {[formatRelativeTime(updated_at), by].filter(Boolean).join(', ')}
              </span>
            </Link>
          </MenuItem>
        ))}
      </Menu>
      <IconButton icon={History} label="Runs over datasets" onClick={() => setOpened('jobs')} />
      <label className="flex shrink-0 items-center gap-1.5 text-row text-fg-muted">
        Repeats
        <input
          type="number"
          min={1}
          max={MAX_REPEATS}
          value={repeats}
          onChange={(event) => onRepeats(event.target.valueAsNumber)}
          className={`${CONTROL} num !h-7 !w-14 !text-row`}
        />
      </label>
      <Suspense>
        {opened === 'drafts' && (
          <DraftsDialog
            mayWrite={mayRun}
            onDelete={(id) => id === draftId && autosave.discard()}
            onDeleted={(id) => id === draftId && onNew()}
            onClose={close}
          />
        )}
        {opened === 'jobs' && (
          <JobsDialog
            mayRun={mayRun}
            onShow={(id) => {
              onJob(id)
              close()
            }}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  )
}

/** Whether the draft is saved, in the status bar. */
export function SaveState({ autosave: { state, savedAt, problem, overwrite, discard } }: { autosave: Autosave }) {
  function loadTheirs() {
    discard()
    location.reload()
  }
  if (state === 'conflict') {
    return (
      <span role="alert" className="text-err">
        Another member has changed this draft.{' '}
        <button type="button" className="underline" onClick={overwrite}>
          Save mine
        </button>{' '}
        <button type="button" className="underline" onClick={loadTheirs}>
          Load theirs
        </button>
      </span>
    )
  }
  if (state === 'failed') {
    return (
      <span title={problem} className="text-err">
        Not saved
      </span>
    )
  }
  if (state === 'unchanged') return null
  return (
    <span role="status">
      {state === 'saving' || savedAt === undefined
        ? 'Saving…'
        : `Saved ${formatMinute(new Date(savedAt).toISOString())}`}
    </span>
  )
}

/** Why the draft could not be saved, where it is seen on every screen. */
export function NotSaved({ autosave: { state, problem } }: { autosave: Autosave }) {
  if (state !== 'failed') return null
  return (
    <p role="alert" className="border-b border-border bg-sunken px-3 py-1.5 text-row text-err [overflow-wrap:anywhere]">
      Not saved: {problem}
    </p>
  )
}
