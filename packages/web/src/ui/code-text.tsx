import { Suspense } from 'react'
import type { CodeLanguage } from '#lib/code-languages.ts'
import { lazyExtra } from './lazy.tsx'

export interface CodeTextProps {
  text: string
  /** @default without colors */
  language: CodeLanguage | undefined
}

const Plain = ({ text }: CodeTextProps) => text

const ColoredCode = lazyExtra(() => import('./colored-code.tsx').then((module) => module.ColoredCode), Plain)

/** Longer code is not colored: it would block the page. */
const MAX_LENGTH = 50_000

/** Code with the colors of its language. The plain text is there at once, and only its colors change. */
export function CodeText({ text, language }: CodeTextProps) {
  if (language === undefined || text.length > MAX_LENGTH) return text
  return (
    <Suspense fallback={text}>
      <ColoredCode text={text} language={language} />
    </Suspense>
  )
}
