import { Link, useLocation } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import type { Filter } from '@touchstone/contract/filter'
import type { ReactNode } from 'react'
import { addCondition, useListLink } from './use-list-address.ts'

export interface FilterChipLinkProps {
  run: Run
  /** What the runs have in common. */
  filter: Filter
  title?: string | undefined
  children: ReactNode
}

/** A fact of a run that leads to the runs of its project with the same. */
export function FilterChipLink({ run, filter, title, children }: FilterChipLinkProps) {
  const addressOf = useListLink(run)
  // Beside a list the address changes while the run stays.
  useLocation()
  return (
    <Link {...addressOf(addCondition(filter))} title={title} className="min-w-0 truncate hover:text-fg hover:underline">
      {children}
    </Link>
  )
}
