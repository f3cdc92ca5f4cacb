import { splitTemplate, type TemplateFormat } from '@touchstone/formats/templates'
import { useMemo, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'

/** Characters that are drawn at first: a longer text would block the page. */
const STEP = 20_000

interface TemplateTextProps {
  text: string
  /** Undefined for a text without variables. */
  format: TemplateFormat | undefined
  isCode?: boolean
}

/** A template with its variables and sections marked. A long one is drawn step by step. */
export function TemplateText({ text, format, isCode = false }: TemplateTextProps) {
  const [shown, setShown] = useState(STEP)
  const pieces = useMemo(() => {
    const cut = text.slice(0, shown)
    return format === undefined ? [{ kind: 'text' as const, text: cut }] : splitTemplate(cut, format)
  }, [text, format, shown])
  return (
    <>
      <div
        dir={isCode ? 'ltr' : 'auto'}
        className={cx(
          'whitespace-pre-wrap break-words [overflow-wrap:anywhere]',
          isCode ? 'font-mono text-row' : 'text-form',
        )}
      >
        {text === '' && <span className="text-fg-subtle">Empty</span>}
        {pieces.map((piece, index) =>
          piece.kind === 'text' ? (
            piece.text
          ) : (
            <bdi
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no ids and never move
              key={index}
              title={piece.kind === 'variable' ? `Variable ${piece.name}` : `Section ${piece.name}`}
              className={cx(
                'rounded-control px-0.5 font-mono text-[0.93em]',
                piece.kind === 'variable' ? 'bg-selected text-fg' : 'bg-hover text-fg-muted',
              )}
            >
              {piece.text}
            </bdi>
          ),
        )}
      </div>
      {text.length > shown && (
        <p className="pt-2">
          <Button onClick={() => setShown(shown * 4)}>
            Show more ({formatCount(text.length - shown)} of {formatCount(text.length)} characters are hidden)
          </Button>
        </p>
      )}
    </>
  )
}
