std = 'luajit'
globals = { 'vim' }
-- StyLua breaks code at 100 columns; comments may be a little longer.
max_line_length = 120
max_cyclomatic_complexity = 15
-- Descriptions of options, which become paragraphs of the help.
files['lua/acp/config.lua'] = { max_line_length = false }
