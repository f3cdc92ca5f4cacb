import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { splitMiddle } from '#lib/split-middle.ts'
import { Popover } from '#ui/popover.tsx'

/** One part of the path to a page. */
export function Crumb(props: { children: ReactNode; first?: boolean; hideOnPhone?: boolean }) {
  return (
    <li className={`min-w-0 items-center gap-1 ${props.hideOnPhone ? 'hidden sm:flex' : 'flex'}`}>
      {!props.first && (
        <span aria-hidden className="hidden px-0.5 text-fg-subtle sm:inline">
          /
        </span>
      )}
      {props.children}
    </li>
  )
}

/** A name in one line. A long one keeps its start and its end. */
export function CrumbName({ name }: { name: string }) {
  const parts = splitMiddle(name)
  if (parts === undefined) return <span dir="auto">{name}</span>
  return (
    <>
      <span aria-hidden dir="auto" title={name} className="flex max-w-80">
        <span className="min-w-0 truncate">{parts.head}</span>
        <span className="shrink-0 whitespace-pre">{parts.tail}</span>
      </span>
      <span className="sr-only">{name}</span>
    </>
  )
}

/** The start of an id that stands for a page without a name of its own. */
export function IdCrumb({ id }: { id: string }) {
  return (
    <Crumb>
      <span className="truncate font-mono text-row" title={id}>
        {id.slice(0, 8)}
      </span>
    </Crumb>
  )
}

/** The open commit of a prompt: a tag, or the beginning of a hash. */
export function CommitCrumb({ reference }: { reference: string }) {
  const isHash = /^[\da-f]{8,}$/i.test(reference)
  return (
    <Crumb>
      <span className="max-w-40 truncate font-mono text-row text-fg" title={reference}>
        {isHash ? reference.slice(0, 8) : reference}
      </span>
    </Crumb>
  )
}

/** A button that opens the list of siblings of the crumb before it. */
export function CrumbSwitcher({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={setOpen}
      className="w-72"
      trigger={
        <button
          type="button"
          aria-label={label}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-control hover:bg-hover coarse:size-10"
        >
          <ChevronsUpDown size={13} aria-hidden />
        </button>
      }
    >
      {children(() => setOpen(false))}
    </Popover>
  )
}

const MAX_SIBLINGS = 100

export interface SiblingListProps<Item extends { id: string; name: string }> {
  /** What is listed, such as `project`. */
  noun: string
  items: readonly Item[]
  currentId: string
  /** Renders the link to a sibling. */
  link: (item: Item, look: SiblingLook) => ReactNode
}

export interface SiblingLook {
  'aria-current': 'page' | undefined
  className: string
  children: ReactNode
}

/** Siblings with a search field. */
export function SiblingList<Item extends { id: string; name: string }>(props: SiblingListProps<Item>) {
  const { noun, items, currentId, link } = props
  const [search, setSearch] = useState('')
  const query = search.trim().toLowerCase()
  const found = items.filter(({ name }) => name.toLowerCase().includes(query))
  return (
    <>
      <input
        type="search"
        aria-label={`Find ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`}
        placeholder={`Find ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className="mb-1 h-7 w-full rounded-control border border-border-strong bg-surface px-2 text-base coarse:h-10"
      />
      <ul className="max-h-80 overflow-y-auto">
        {found.slice(0, MAX_SIBLINGS).map((item) => (
          <li key={item.id}>
            {link(item, {
              'aria-current': item.id === currentId ? 'page' : undefined,
              className:
                'flex h-7 items-center rounded-control px-2 text-row hover:bg-hover aria-[current]:bg-selected coarse:h-10',
              children: (
                <span dir="auto" className="truncate">
                  {item.name}
                </span>
              ),
            })}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-2 py-1 text-row text-fg-muted">No {noun}s found.</p>}
      {found.length > MAX_SIBLINGS && (
        <p className="px-2 py-1 text-meta text-fg-muted">{found.length - MAX_SIBLINGS} more. Type to narrow down.</p>
      )}
    </>
  )
}
