import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { getTextMode, type TextMode } from '#features/projects/projects.ts'
import { projectQuery } from '#features/projects/queries.ts'
import { createStore, useStore } from '#lib/store.ts'
import { isTerminalText } from '#lib/terminal-text.ts'
import { Segmented } from '#ui/segmented.tsx'

const DefaultMode = createContext<TextMode>('markdown')

interface ProjectTextModeProps {
  /** Undefined on public pages, which know no settings of a project. */
  projectId: string | undefined
  children: ReactNode
}

/** Shows the texts of the messages inside in the way that their project prefers. */
export function ProjectTextMode({ projectId, children }: ProjectTextModeProps) {
  const { data } = useQuery({ ...projectQuery.one(projectId ?? ''), enabled: projectId !== undefined })
  return <DefaultMode value={getTextMode(data)}>{children}</DefaultMode>
}

/**
 * How the user wants to see a message, by its text, until the page is closed: a message that is repeated in the next call, or
 * is scrolled out of a long thread, keeps it.
 */
const chosenModes = createStore<ReadonlyMap<string, TextMode>>(() => new Map())

/** The choices that were made longest ago are forgotten first. */
const MAX_CHOSEN = 200

export function useTextMode(text: string): { mode: TextMode; choose: (mode: TextMode) => void } {
  const preferred = useContext(DefaultMode)
  const chosen = useStore(chosenModes)
  const choose = (mode: TextMode) => {
    const others = [...chosenModes.read()].filter(([other]) => other !== text)
    chosenModes.write(new Map([...others, [text, mode] as const].slice(-MAX_CHOSEN)))
  }
  // Colors of a terminal are drawn in text.
  return { mode: chosen.get(text) ?? (isTerminalText(text) ? 'text' : preferred), choose }
}

/** Chooses between rendered Markdown and the text as it was recorded. */
export function TextModeSwitch({ mode, onChoose }: { mode: TextMode; onChoose: (mode: TextMode) => void }) {
  return (
    <Segmented
      size="small"
      label="Show message as"
      value={mode}
      onChange={onChoose}
      options={[
        { value: 'markdown', label: 'Markdown', hint: 'Headings, lists, tables and code are drawn' },
        { value: 'text', label: 'Text', hint: 'Every character as it was recorded' },
      ]}
    />
  )
}
