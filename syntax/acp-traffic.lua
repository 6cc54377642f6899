if vim.b.current_syntax then
  return
end
vim.cmd([[
runtime! syntax/json.vim
syntax match acpTrafficTime /^\d\d:\d\d:\d\d\.\d\{3}/ nextgroup=acpTrafficOut,acpTrafficIn skipwhite
syntax match acpTrafficOut /→/ contained nextgroup=acpTrafficError,acpTrafficMethod skipwhite
syntax match acpTrafficIn /←/ contained nextgroup=acpTrafficError,acpTrafficMethod skipwhite
syntax match acpTrafficMethod /\%(result of \)\?\S\+/ contained nextgroup=acpTrafficRest
syntax match acpTrafficError /error\>.*/ contained
syntax match acpTrafficRest /.*/ contained
syntax match acpTrafficMissed /^….*/
highlight default link acpTrafficTime AcpMuted
highlight default link acpTrafficOut AcpUser
highlight default link acpTrafficIn AcpAgent
highlight default link acpTrafficMethod Normal
highlight default link acpTrafficError AcpFailed
highlight default link acpTrafficRest AcpMuted
highlight default link acpTrafficMissed AcpMuted
]])
vim.b.current_syntax = 'acp-traffic'
