import { useQueryClient } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { toast } from '#ui/toast.tsx'
import { setRunTags } from '../queries.ts'
import { FilterChipLink } from './list-links.tsx'

const CHIP = 'inline-flex h-5 min-w-0 max-w-64 items-center rounded-control bg-sunken px-1.5 text-meta coarse:h-8'

/** Tags of a run, linked to the runs with the same tag. Members can edit them in place. */
export function RunTags({ run }: { run: Run }) {
  const queryClient = useQueryClient()
  const mayWrite = useMay('member')
  const [isAdding, setAdding] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const tags = run.tags ?? []
  const { shown, hiddenCount, setOpen } = useFoldedTags(tags)
  if (tags.length === 0 && !mayWrite) return null

  function write(wanted: string[], before: string[], said?: string) {
    const undo = { label: 'Undo', run: () => write(before, wanted) }
    setRunTags(queryClient, run, wanted, before)
      .then(() => said !== undefined && toast.done(said, undo))
      .catch((cause) => toast.failure('Could not save the tags', cause))
  }
  function close() {
    setAdding(false)
    setTimeout(() => opener.current?.focus())
  }
  function add(tag: string) {
    if (tag !== '' && !tags.includes(tag)) {
      write([...tags, tag], tags, `Added tag ${tag}`)
      // The new tag is the last one.
      setOpen(true)
    }
    close()
  }
  return (
    <div className="min-w-0">
      <dt className="sr-only">Tags</dt>
      <dd>
        <ul aria-label="Tags" className="flex min-w-0 flex-wrap items-center gap-1">
          {shown.map((tag) => (
            <li key={tag} className={CHIP}>
              <FilterChipLink run={run} filter={{ op: 'has', field: 'tags', value: tag }} title={tag}>
                {tag}
              </FilterChipLink>
              {mayWrite && (
                <button
                  type="button"
                  aria-label={`Remove tag ${tag}`}
                  onClick={() =>
                    write(
                      tags.filter((one) => one !== tag),
                      tags,
                      `Removed tag ${tag}`,
                    )
                  }
                  className="-mr-1.5 flex size-6 shrink-0 items-center justify-center text-fg-subtle hover:text-fg coarse:size-10"
                >
                  <X size={12} aria-hidden />
                </button>
              )}
            </li>
          ))}
          <MoreTags count={hiddenCount} onShow={() => setOpen(true)} />
          {mayWrite && (
            <li>
              {isAdding ? (
                <TagInput onAdd={add} onCancel={close} />
              ) : (
                <button
                  ref={opener}
                  type="button"
                  onClick={() => setAdding(true)}
                  className="inline-flex h-6 items-center gap-0.5 px-1 text-meta text-fg-subtle hover:text-fg coarse:h-10"
                >
                  <Plus size={12} aria-hidden />
                  Tag
                </button>
              )}
            </li>
          )}
        </ul>
      </dd>
    </div>
  )
}

/** More tags than this would push the tabs of the run out of view. */
const MAX_TAGS = 4

function useFoldedTags(tags: readonly string[]) {
  const [isOpen, setOpen] = useState(false)
  const all = [...new Set(tags)]
  // A single hidden tag needs as much space as the button that shows it.
  const shown = isOpen || all.length <= MAX_TAGS + 1 ? all : all.slice(0, MAX_TAGS)
  return { shown, hiddenCount: all.length - shown.length, setOpen }
}

function MoreTags({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null
  return (
    <li>
      <button
        type="button"
        aria-label={`Show ${count} more tags`}
        onClick={onShow}
        className="inline-flex h-6 items-center rounded-control px-1 text-meta tabular-nums text-fg-muted hover:text-fg hover:underline coarse:h-10"
      >
        +{count}
      </button>
    </li>
  )
}

/** Tags on public pages: no links and no editing. */
export function PublicRunTags({ run }: { run: Run }) {
  const { shown, hiddenCount, setOpen } = useFoldedTags(run.tags ?? [])
  if (shown.length === 0) return null
  return (
    <div className="min-w-0">
      <dt className="sr-only">Tags</dt>
      <dd>
        <ul aria-label="Tags" className="flex flex-wrap gap-1">
          {shown.map((tag) => (
            <li key={tag} title={tag} className={CHIP}>
              <span dir="auto" className="truncate">
                {tag}
              </span>
            </li>
          ))}
          <MoreTags count={hiddenCount} onShow={() => setOpen(true)} />
        </ul>
      </dd>
    </div>
  )
}

/** Enter adds the tag; Escape and leaving the empty field cancel. */
function TagInput({ onAdd, onCancel }: { onAdd: (tag: string) => void; onCancel: () => void }) {
  const [text, setText] = useState('')
  const isLeaving = useRef(false)
  function hear(event: KeyboardEvent) {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    isLeaving.current = true
    if (event.key === 'Enter') onAdd(text.trim())
    else onCancel()
  }
  return (
    <input
      aria-label="New tag"
      // biome-ignore lint/a11y/noAutofocus: the user has just opened this field
      autoFocus
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={hear}
      onBlur={() => !isLeaving.current && (text.trim() === '' ? onCancel() : onAdd(text.trim()))}
      className="h-6 w-32 rounded-control border border-border-strong bg-surface px-1.5 text-meta text-fg coarse:h-10"
    />
  )
}
