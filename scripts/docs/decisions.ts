import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DECISIONS = 'docs/decisions'

const HEAD =
  /^# (?<number>\d+)\. (?<title>.+)\n\n\*\*Status:\*\* (?<status>[^\n]+(?:\n[^\n]+)*)\n\n\*\*Summary:\*\* (?<summary>[^\n]+\.)\n\n/
const LINK = String.raw`\[\d+\]\(\d{4}-[a-z0-9-]+\.md\)`
const STATUS = new RegExp(`^(Accepted|(Amended|Superseded) by ${LINK}(, ${LINK})*)$`)
const COLUMNS = 120

export interface Decision {
  readonly file: string
  readonly number: number
  readonly title: string
  readonly status: string
}

/** Reads the head of a decision page, or returns what is wrong with it. */
export function readDecision(file: string, text: string): Decision | { problem: string } {
  const head = HEAD.exec(text)?.groups
  if (head === undefined) {
    return { problem: `${file}: does not begin with "# N. Title", "**Status:** …" and "**Summary:** …."` }
  }
  const { number = '', title = '', status: lines = '', summary = '' } = head
  // Links may need a second line.
  const status = lines.replaceAll('\n', ' ')
  if (Number(number) !== Number(file.slice(0, 4))) return { problem: `${file}: has the number ${number}` }
  if (!STATUS.test(status)) return { problem: `${file}: "${status}" is not Accepted, Amended by … or Superseded by …` }
  if (`**Summary:** ${summary}`.length > COLUMNS) return { problem: `${file}: its summary is not one line` }
  return { file, number: Number(number), title, status }
}

/** Reads all decision pages by number. */
export function readDecisions(root: string): (Decision | { problem: string })[] {
  const files = readdirSync(join(root, DECISIONS)).filter((file) => /^\d{4}-.*\.md$/.test(file))
  return files.sort().map((file) => readDecision(file, readFileSync(join(root, DECISIONS, file), 'utf8')))
}

/** Prints the table of `docs/decisions/README.md`. */
export function printDecisions(decisions: readonly Decision[]): string {
  const rows = decisions.map(({ file, number, title, status }) => `| [${number}](${file}) | ${title} | ${status} |`)
  return ['| Number | Title | Status |', '| --- | --- | --- |', ...rows].join('\n')
}
