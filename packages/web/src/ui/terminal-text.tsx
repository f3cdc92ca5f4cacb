import { isTerminalText, readTerminalText, type TerminalColor } from '#lib/terminal-text.ts'

/** Inks that can be read on every background of both themes. Black and white are the color of the text. */
const INKS: Readonly<Record<TerminalColor, string>> = {
  black: 'text-fg-muted',
  red: 'text-err',
  green: 'text-ok',
  yellow: 'text-warn',
  blue: 'text-accent',
  magenta: 'text-(--type-llm-ink)',
  cyan: 'text-(--type-embedding-ink)',
  white: '',
}

/** Text as it is, with the colors that a program has set for a terminal. */
export function TerminalText({ text }: { text: string }) {
  if (!isTerminalText(text)) return text
  return readTerminalText(text).map((run, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no ids and never move
      key={at}
      className={`${run.color ? INKS[run.color] : ''} ${run.isBold ? 'font-bold' : ''}`}
    >
      {run.text}
    </span>
  ))
}
