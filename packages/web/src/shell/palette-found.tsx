import { useQuery } from '@tanstack/react-query'
import { FolderKanban } from 'lucide-react'
import { searchProjectsQuery } from '#data/projects.ts'
import { rankMatch } from '#lib/palette/rank-match.ts'
import { PaletteGroup, PaletteItem } from './palette-parts.tsx'

/** What begins with it came late, and stays below all that was there: nothing moves under the cursor. */
const LATE = '\u200b'
const LAST = 0.001

/** As `rankMatch`, with what the server found at the end. */
export function rankEarlyFirst(value: string, typed: string): number {
  return value.startsWith(LATE) ? LAST : rankMatch(value, typed)
}

export interface FoundProjectsProps {
  typed: string
  /** Ids that are listed already. */
  known: ReadonlySet<string>
  /** What choosing a project does. */
  opening: (projectId: string) => () => void
}

/** Projects that nobody has loaded yet, as the server finds them by name. */
export function FoundProjects({ typed, known, opening }: FoundProjectsProps) {
  const found = useQuery(searchProjectsQuery(typed.trim()))
  const fresh = found.data?.filter(({ id }) => !known.has(id)) ?? []
  if (fresh.length === 0) return null
  return (
    <PaletteGroup heading="More projects">
      {fresh.map(({ id, name }) => (
        <PaletteItem key={id} value={`${LATE}${name} ${id}`} icon={<FolderKanban size={14} />} onSelect={opening(id)}>
          {name}
        </PaletteItem>
      ))}
    </PaletteGroup>
  )
}
