import { type ComponentProps, type Ref, useLayoutEffect, useRef } from 'react'
import { cx } from '#lib/browser.ts'

interface Shared {
  /** Position of an error; the characters up to the next separator are underlined. */
  markAt: number | undefined
  /** Font and padding classes, for the text and its underline alike. */
  textClassName: string
  className?: string
}

export type MarkedInputProps = Shared & Omit<ComponentProps<'input'>, 'className'> & { ref?: Ref<HTMLInputElement> }
export type MarkedAreaProps = Shared &
  Omit<ComponentProps<'textarea'>, 'className'> & { ref?: Ref<HTMLTextAreaElement> }

/** A text field that can underline an error. */
export function MarkedInput({ markAt, textClassName, className, ref, ...rest }: MarkedInputProps) {
  const own = useRef<HTMLInputElement>(null)
  const mirror = useRef<HTMLDivElement>(null)
  const isMarked = markAt !== undefined
  // Reading the scroll position forces a layout, so it is only read while something is underlined.
  const follow = () => {
    if (isMarked && mirror.current && own.current) mirror.current.scrollLeft = own.current.scrollLeft
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when its text or its mark changes
  useLayoutEffect(follow, [rest.value, markAt])
  return (
    <div className={cx('relative', className)}>
      <div
        ref={mirror}
        aria-hidden
        className={cx('pointer-events-none absolute inset-0 overflow-hidden whitespace-pre', textClassName)}
      >
        <Marked text={String(rest.value ?? '')} markAt={markAt} />
      </div>
      <input
        {...rest}
        ref={(node) => {
          own.current = node
          if (typeof ref === 'function') ref(node)
          else if (ref) ref.current = node
        }}
        onScroll={follow}
        aria-invalid={markAt === undefined ? undefined : true}
        className={cx('relative w-full bg-transparent', textClassName)}
      />
    </div>
  )
}

/** A text area that grows with its text and can underline an error. */
export function MarkedArea({ markAt, textClassName, className, ...rest }: MarkedAreaProps) {
  return (
    <div className={cx('relative', className)}>
      <div aria-hidden className={cx('pointer-events-none whitespace-pre-wrap break-words', textClassName)}>
        <Marked text={String(rest.value ?? '')} markAt={markAt} />
        {'\u200b'}
      </div>
      <textarea
        {...rest}
        rows={1}
        aria-invalid={markAt === undefined ? undefined : true}
        className={cx(
          'absolute inset-0 size-full resize-none overflow-hidden bg-transparent break-words',
          textClassName,
        )}
      />
    </div>
  )
}

function Marked({ text, markAt }: { text: string; markAt: number | undefined }) {
  if (markAt === undefined) return <span className="text-transparent">{text}</span>
  const length = /^([^\s,():"]+|"[^"]*"?|.)/.exec(text.slice(markAt))?.[0].length ?? 0
  return (
    <span className="text-transparent">
      {text.slice(0, markAt)}
      <span className="underline decoration-err decoration-wavy decoration-2 underline-offset-2">
        {length === 0 ? '\u00a0\u00a0' : text.slice(markAt, markAt + length)}
      </span>
      {text.slice(markAt + length)}
    </span>
  )
}
