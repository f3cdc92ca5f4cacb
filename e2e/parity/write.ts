import { writeFileSync } from 'node:fs'
import { chapters } from './items/index.ts'
import { parityPage } from './page.ts'

writeFileSync(new URL('../../docs/reference/parity.md', import.meta.url), parityPage(chapters))
