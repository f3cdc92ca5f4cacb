import { CircleQuestionMark, Menu, Search } from 'lucide-react'
import { IconButton } from '#ui/icon-button.tsx'
import { Kbd } from '#ui/kbd.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'

interface TopBarProps {
  tenant: string
  /** Opens the sidebar on narrow screens, where it is a drawer. */
  onMenu?: (() => void) | undefined
  onSearch: () => void
  onHelp: () => void
}

/** Breadcrumbs, search and help. */
export function TopBar({ tenant, onMenu, onSearch, onHelp }: TopBarProps) {
  return (
    <header className="flex h-10 shrink-0 items-center gap-2 border-b border-border bg-surface px-2 sm:px-3">
      {onMenu && <IconButton icon={Menu} label="Open the menu" onClick={onMenu} />}
      <Breadcrumbs tenant={tenant} />
      <button
        type="button"
        onClick={onSearch}
        aria-label="Search or jump"
        className="ml-auto flex h-7 shrink-0 items-center gap-2 rounded-control border border-border bg-sunken px-2 text-row text-fg-muted hover:text-fg coarse:h-9"
      >
        <Search size={14} aria-hidden />
        <span className="hidden md:inline">Search or jump</span>
        <span className="hidden md:inline">
          <Kbd keys="mod+k" />
        </span>
      </button>
      <IconButton icon={CircleQuestionMark} label="Keyboard shortcuts" keys="?" onClick={onHelp} />
    </header>
  )
}
