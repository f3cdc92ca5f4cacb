import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight, Ellipsis, Tag } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import type { VersionsSearch } from '../search.ts'
import {
  type Burst,
  describeChanges,
  groupBursts,
  printChanges,
  type TimelineVersion,
  type VersionChanges,
} from './version-timeline.ts'

export interface VersionsTimelineProps {
  tenant: string
  datasetId: string
  versions: readonly TimelineVersion[]
  compared: { from: string; to: string } | undefined
  mayWrite: boolean
  onCompare: (search: VersionsSearch) => void
  onTag: (asOf: string) => void
  onRestore: (asOf: string) => void
  /** Loads older versions; absent when all are loaded. */
  onOlder: (() => void) | undefined
}

/** The versions, newest first. Versions that were made shortly after each other are one entry that opens. */
export function VersionsTimeline(props: VersionsTimelineProps) {
  const { versions, onOlder } = props
  const bursts = useMemo(() => groupBursts(versions), [versions])
  return (
    <section
      aria-label="Timeline"
      className="flex w-[360px] shrink-0 flex-col overflow-y-auto border-r border-border bg-surface max-lg:max-h-[45vh] max-lg:w-full max-lg:border-r-0 max-lg:border-b 2xl:w-[440px]"
    >
      <ol>
        {bursts.map((burst) => (
          <BurstEntry key={burst.versions[0]?.as_of} burst={burst} {...props} />
        ))}
      </ol>
      {onOlder && (
        <p className="p-3 text-center">
          <Button onClick={onOlder}>Show older versions</Button>
        </p>
      )}
    </section>
  )
}

function BurstEntry({ burst, ...props }: VersionsTimelineProps & { burst: Burst }) {
  const [isOpen, setOpen] = useState(false)
  const { versions, changes, before } = burst
  const [newest] = versions
  if (newest === undefined) return null
  const older = versions.slice(1)
  const toggle = older.length > 0 && (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
      className="flex items-center gap-1 text-meta text-fg-muted hover:text-fg coarse:h-10"
    >
      {isOpen ? <ChevronDown size={12} aria-hidden /> : <ChevronRight size={12} aria-hidden />}
      {isOpen ? 'Show as one change' : `${pluralize(versions.length, 'version')} in this burst`}
    </button>
  )
  return (
    <li className="border-b border-border">
      <VersionRow
        {...props}
        version={newest}
        changes={isOpen ? newest.changes : changes}
        before={isOpen ? (older[0]?.as_of ?? before) : before}
        toggle={toggle}
      />
      {isOpen && (
        <ol className="border-l-2 border-border-strong ml-3">
          {older.map((version, index) => (
            <li key={version.as_of}>
              <VersionRow
                {...props}
                version={version}
                changes={version.changes}
                before={older[index + 1]?.as_of ?? before}
              />
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}

interface VersionRowProps extends VersionsTimelineProps {
  version: TimelineVersion
  changes: VersionChanges
  /** The version that this one is compared with by default. */
  before: string | undefined
  /** Opens the burst. */
  toggle?: ReactNode
}

function VersionRow({ version, changes, before, toggle, compared, onCompare, ...props }: VersionRowProps) {
  const { as_of, tags } = version
  const isShown = compared?.to === as_of || tags.includes(compared?.to ?? '')
  const isBase = compared?.from === as_of || tags.includes(compared?.from ?? '')
  return (
    <div
      data-shown={isShown || undefined}
      className="flex items-start gap-2 px-3 py-1.5 text-row hover:bg-hover data-[shown]:bg-selected"
    >
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <button
          type="button"
          aria-current={isShown || undefined}
          disabled={before === undefined}
          title={formatAbsoluteTime(as_of)}
          onClick={() => onCompare({ from: before, to: as_of })}
          className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1 text-left coarse:min-h-10"
        >
          <span className="num font-medium">{formatRelativeTime(as_of)}</span>
          <span className="font-mono text-fg-muted">
            <span aria-hidden>{printChanges(changes)}</span>
            <span className="sr-only">{describeChanges(changes)}</span>
          </span>
          {tags.map((tag) => (
            <span
              key={tag}
              className="inline-flex max-w-40 items-center gap-1 truncate rounded-full border border-border bg-sunken px-2 text-meta"
            >
              {tag}
            </span>
          ))}
          {isBase && <span className="text-meta text-fg-muted">compared with</span>}
        </button>
        {toggle}
      </div>
      <VersionMenu {...props} version={version} compared={compared} onCompare={onCompare} />
    </div>
  )
}

type VersionMenuProps = Omit<VersionRowProps, 'changes' | 'before' | 'toggle'>

function VersionMenu({
  tenant,
  datasetId,
  version,
  compared,
  mayWrite,
  onCompare,
  onTag,
  onRestore,
}: VersionMenuProps) {
  const { as_of, tags } = version
  const isLatest = tags.includes('latest')
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={`Actions of the version of ${formatAbsoluteTime(as_of)}`} />}
    >
      <MenuItem asChild>
        <Link to="/o/$tenant/datasets/$datasetId" params={{ tenant, datasetId }} search={isLatest ? {} : { as_of }}>
          {isLatest ? 'Open examples' : 'Open examples (read-only)'}
        </Link>
      </MenuItem>
      <MenuItem onSelect={() => onCompare({ from: as_of, to: compared?.to })} disabled={compared?.to === as_of}>
        Compare the shown version with this one
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Tag size={13} aria-hidden />} disabled={!mayWrite} onSelect={() => onTag(as_of)}>
        {mayWrite ? 'Tag…' : `Tag… ${READ_ONLY}`}
      </MenuItem>
      {!isLatest && (
        <MenuItem disabled={!mayWrite} onSelect={() => onRestore(as_of)}>
          Restore these examples…
        </MenuItem>
      )}
    </Menu>
  )
}
