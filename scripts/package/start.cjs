import('../lib/code/main.js');
